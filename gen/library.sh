#!/bin/sh
# Finds a C library that a program here is linked with and writes out/NAME.mk for the Makefile: NAME_CFLAGS and
# NAME_LIBS, in capitals. Run from the top of the project: sh gen/library.sh jansson|zstd
#
# Looked for in the system's own directories: of jansson first the archive, so that a program runs where the library is
# not installed, of zstd first the shared library, which libmxgemm.so then names. Else the Debian package of this
# machine's suite is unpacked under out/packages, without root and without touching the host.
#
#   MXG_LIBRARIES  system or private: look there and nowhere else
#   MXG_MIRROR     where the package comes from (the mirror that this machine's apt uses)
set -u
name=${1:?usage: library.sh jansson|zstd}
who=$name
cc=${CC:-cc}
work=out/packages/.new.$$
. "$(dirname "$0")/private_apt.sh"

case $name in
jansson)
    package=libjansson-dev header=jansson.h call='json_string(jansson_version_str())'
    systems='-l:libjansson.a -ljansson'
    ;;
zstd) package=libzstd-dev systems='-lzstd -l:libzstd.a' header=zstd.h call='ZSTD_versionString()' ;;
*)
    who=library
    fail "\"$name\" is not a library that is needed here; jansson and zstd are"
    ;;
esac

# probe INCLUDE-FLAGS LIBRARIES: compiles, links and runs. The flags are shell words, quoted.
probe() {
    mkdir -p "$work" || fail "cannot create $work"
    printf '#include <%s>\nint main(void) { return !(%s); }\n' "$header" "$call" >"$work/probe.c"
    eval "$cc -std=c11 $1 -o \"\$work/probe\" \"\$work/probe.c\" $2" >"$work/log" 2>&1 && "$work/probe"
}

try_system() {
    include=
    why="there is no $header in the system's directories, or no library to it"
    for libs in $systems; do
        probe "$include" "$libs" && origin="the system's $libs" && return
    done
    return 1
}

try_private() {
    # shellcheck disable=SC1091 # of the machine that it runs on
    suite=$(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}")
    case $suite in
    '' | *[!a-z0-9-]*) fail "$header is not here, and only Debian's is fetched; install $name with its header" ;;
    esac
    root=out/packages/$suite-$name
    if [ ! -e "$root/packages" ]; then
        need_apt "$header is not here" "install $package"
        unpack "$suite" download "$package" "$root"
        keep "$root"
    fi
    archive=$(find "$root/usr/lib" -name "lib$name.a" | head -n 1)
    include="-isystem $root/usr/include"
    libs=$archive
    why="$package of suite $suite has no lib$name.a"
    [ -n "$archive" ] || return 1
    why="a program with $archive does not compile, link and run with $cc"
    probe "$include" "$libs" || return 1
    origin="$(tr '\t' ' ' <"$root/packages") from suite $suite in out/packages"
}

tidy_work
command -v "${cc%% *}" >/dev/null || fail "there is no C compiler $cc; install gcc or clang, or set CC"
case ${MXG_LIBRARIES:-} in
'') kinds='system private' ;;
system | private) kinds=$MXG_LIBRARIES ;;
*) fail "MXG_LIBRARIES is \"$MXG_LIBRARIES\"; it may be system or private" ;;
esac
for kind in $kinds; do
    "try_$kind" && break
    [ "$kind" != "${kinds##* }" ] || fail "$kind cannot be used: $why; install $package"
done

prefix=$(echo "$name" | tr a-z A-Z)
printf '# Written by gen/library.sh.\n%s_CFLAGS := %s\n%s_LIBS := %s\n' "$prefix" "$include" "$prefix" "$libs" \
    >"$work/mk" && mv "$work/mk" "out/$name.mk" || fail "cannot write out/$name.mk"
echo "$name: $kind ($origin)"
