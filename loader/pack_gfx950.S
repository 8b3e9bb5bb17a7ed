/* The pack as an object file, for libmxgemm_gfx950; assembled in the top directory. One page-aligned read-only
 * section without relocations: it links into executables and shared objects alike, and HIP gets one mapping. */
    .section .rodata.mxg_pack_gfx950, "a", %progbits
    .balign 4096
    .globl mxg_pack_gfx950
    .type mxg_pack_gfx950, %object
mxg_pack_gfx950:
    .incbin "out/mxgemm-gfx950.mxpack"
.Lend:
    .size mxg_pack_gfx950, .Lend - mxg_pack_gfx950

    .balign 8
    .globl mxg_pack_gfx950_bytes
    .type mxg_pack_gfx950_bytes, %object
mxg_pack_gfx950_bytes:
    .quad .Lend - mxg_pack_gfx950
    .size mxg_pack_gfx950_bytes, 8

    .section .data.rel.ro.mxg_pack_gfx950_start, "aw", %progbits
    .balign 8
    .globl mxg_pack_gfx950_start
    .type mxg_pack_gfx950_start, %object
mxg_pack_gfx950_start:
    .quad mxg_pack_gfx950
    .size mxg_pack_gfx950_start, 8

    .section .note.GNU-stack, "", %progbits
