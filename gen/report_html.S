/* The page of mxgen report as it lies in gen/, for report_page.c; assembled in the top directory. */
    .section .rodata.gen_report_html, "a", %progbits
    .globl gen_report_html
gen_report_html:
    .incbin "gen/report.html"
    .globl gen_report_html_end
gen_report_html_end:

    .section .note.GNU-stack, "", %progbits
