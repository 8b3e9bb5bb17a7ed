#!/bin/sh
# Installs what `make gen` built, or removes it; the Makefile calls it.
#
#     install.sh install|uninstall
#
# B is where the build is, VERSION and ABI (what the SONAME carries of it) and LIBS (what a static libmxgemm needs
# beside libc) are the library's, and PREFIX, LIBDIR and DESTDIR the caller's.
set -eu
action=${1:?usage: install.sh install|uninstall}
: "${B:?}" "${VERSION:?}" "${ABI:?}" "${PREFIX:?}" "${LIBDIR:?}" "${DESTDIR=}" "${LIBS?}"
for directory in "$PREFIX" "$LIBDIR"; do
    case $directory in
    /*) ;;
    *)
        echo "install.sh: PREFIX and LIBDIR must be absolute, not \"$directory\"" >&2
        exit 1
        ;;
    esac
done
plain() { # a path without slashes that say nothing
    printf '%s' "$1" | tr -s / | sed 's|\(.\)/$|\1|'
}
PREFIX=$(plain "$PREFIX") LIBDIR=$(plain "$LIBDIR")
data=$PREFIX/share/mxgemm doc=$PREFIX/share/doc/mxgemm

# put MODE DIRECTORY FILE...
put() {
    mode=$1 directory=$DESTDIR$2
    shift 2
    [ "$action" = uninstall ] || install -d "$directory"
    for file; do
        if [ "$action" = install ]; then install -m "$mode" "$file" "$directory"
        else rm -f "$directory/${file##*/}"; fi
    done
}

# put_library NAME: the static and the shared one, and the names that the linker and the loader look for
put_library() {
    put 644 "$LIBDIR" "$B/lib/$1.a"
    if [ "$action" = install ]; then
        install -m 755 "$B/lib/$1.so" "$DESTDIR$LIBDIR/$1.so.$VERSION"
        ln -sf "$1.so.$VERSION" "$DESTDIR$LIBDIR/$1.so.$ABI"
        ln -sf "$1.so.$ABI" "$DESTDIR$LIBDIR/$1.so"
    else
        rm -f "$DESTDIR$LIBDIR/$1.so.$VERSION" "$DESTDIR$LIBDIR/$1.so.$ABI" "$DESTDIR$LIBDIR/$1.so"
    fi
}

# The way from directory $1 up to / and down to $2, for files that may be moved together.
between() {
    from=${1#/} to=${2#/}
    while [ -n "$from" ] && [ "${from%%/*}" = "${to%%/*}" ]; do
        case $from in */*) from=${from#*/} ;; *) from= ;; esac
        case $to in */*) to=${to#*/} ;; *) to= ;; esac
    done
    [ -z "$from" ] || printf '%s' "$from/" | sed 's|[^/]*/|../|g'
    printf '%s' "$to"
}

# As the replacement of a sed command that is delimited by |.
quoted() {
    printf '%s' "$1" | sed 's/[\\&|]/\\&/g'
}

# put_filled DIRECTORY NAME: loader/packaging/NAME.in with its @KEY@ filled in. In .pc files a path has its spaces and
# other characters that mean something to pkg-config or a shell escaped.
put_filled() {
    if [ "$action" = uninstall ]; then
        rm -f "$DESTDIR$1/$2"
        return
    fi
    prefix=$PREFIX libdir=$LIBDIR
    case $2 in
    *.pc)
        prefix=$(printf '%s' "$prefix" | sed 's/[^A-Za-z0-9_./+@%,:=-]/\\&/g')
        libdir=$(printf '%s' "$libdir" | sed 's/[^A-Za-z0-9_./+@%,:=-]/\\&/g')
        ;;
    esac
    text=$(sed -e "s|@PREFIX@|$(quoted "$prefix")|" -e "s|@LIBDIR@|$(quoted "$libdir")|" \
        -e "s|@TO_PREFIX@|$(quoted "$(between "$LIBDIR/cmake/mxgemm" "$PREFIX")")|" \
        -e "s|@VERSION@|$VERSION|" -e "s|@ABI@|$ABI|" -e "s|@LIBS@|$(quoted "$LIBS")|" "loader/packaging/$2.in")
    install -d "$DESTDIR$1"
    printf '%s\n' "$text" > "$DESTDIR$1/$2"
    chmod 644 "$DESTDIR$1/$2"
}

put 755 "$PREFIX/bin" "$B/bin/mxgemm"
put 644 "$PREFIX/include" "$B/include/mxgemm.h"
put_library libmxgemm
put_library libmxgemm_gfx950
put_filled "$LIBDIR/pkgconfig" mxgemm.pc
put_filled "$LIBDIR/pkgconfig" mxgemm_gfx950.pc
put_filled "$LIBDIR/cmake/mxgemm" mxgemmConfig.cmake
put_filled "$LIBDIR/cmake/mxgemm" mxgemmConfigVersion.cmake
put 644 "$data" out/mxgemm-gfx950.mxpack out/gfx950/manifest.json out/gfx950/report.txt
put 644 "$doc" README.md CHANGELOG.md LICENSE loader/*.md
put 644 "$doc/examples" loader/examples/*

# Directories that are nobody else's.
if [ "$action" = uninstall ]; then
    for directory in "$LIBDIR/cmake/mxgemm" "$data" "$doc/examples" "$doc"; do
        [ ! -d "$DESTDIR$directory" ] || rmdir --ignore-fail-on-non-empty "$DESTDIR$directory"
    done
fi
