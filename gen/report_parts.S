/* What the page of mxgen report is made of, as it lies in gen/, for report_page.c; assembled in the top directory. */
    .macro part name, file
    .globl \name, \name\()_end
\name:
    .incbin "\file"
\name\()_end:
    .endm

    .section .rodata.gen_report_parts, "a", %progbits
    part gen_report_html, gen/report.html
    part gen_report_css, gen/report.css
    part gen_report_js, gen/report.js

    .section .note.GNU-stack, "", %progbits
