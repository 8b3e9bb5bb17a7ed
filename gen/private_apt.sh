# Debian packages of a suite, fetched and unpacked without root and without touching the host's own: apt with a state of
# its own. Sourced by scripts that have set who, their name, and work, a new directory for all that is needed meanwhile.
#
#   MXG_MIRROR  where packages come from (the mirror that this machine's apt uses)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
    echo "$who: $*" >&2
    exit 1
}

# need_apt WHY ADVICE: ends the script where packages cannot be fetched.
need_apt() {
    for tool in apt-get dpkg; do
        command -v $tool >/dev/null || fail "$1, and fetching one needs $tool, which is missing; $2"
    done
}

# The first mirror of the main archive in the machine's own apt: among what apt has indexed, else among what it is
# configured with (a fresh image has no index yet).
find_mirror() {
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 2>/dev/null |
        sed -n '/security/d; s/^Debian \(.*[^ ]\).*/\1/p' | head -n 1)
    [ -n "$mirror" ] || mirror=$(apt-get indextargets --no-release-info --format '$(REPO_URI)' 2>/dev/null |
        grep debian | grep -v security | head -n 1)
    [ -n "$mirror" ] || fail "this machine's apt has no Debian mirror; set MXG_MIRROR to one"
}

# The host's apt.conf.d stays in force (it may hold the proxy), its hooks and pins do not.
private_apt() {
    apt-get -c "$here/apt.conf" "$@" >"$here/log" 2>&1
}

apt_said() {
    { grep '^E: ' "$here/log" || cat "$here/log"; } | head -n 1 | sed 's/^[EW]: *//'
}

# source_of SUITE [OPTION]: what apt is to know of a suite.
source_of() {
    cat <<EOT
Types: deb
URIs: $mirror
Suites: $1
Components: main
Targets: Packages
Signed-By: $keyring
${2:-}

EOT
}

# unpack SUITE HOW PACKAGES ROOT: into $work/tree, a root directory of the packages, with their names and versions in
# its file packages. HOW is install, with all that the packages depend on, or download, without. ROOT is where keep will
# put it.
unpack() {
    [ -r $keyring ] || fail "no $keyring to check packages of suite $1 with; install debian-archive-keyring"
    mirror=${MXG_MIRROR:-}
    [ -n "$mirror" ] || find_mirror

    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/none" "$work/tree" ||
        fail "cannot create $work"
    : >"$work/state/status"
    # It holds only what differs from unstable. While nothing changes there Debian does not sign it anew, so that its
    # Release file passes its Valid-Until: of this suite alone, old is not refused.
    case $1 in
    experimental) source_of unstable && source_of experimental 'Check-Valid-Until: no' ;;
    *) source_of "$1" ;;
    esac >"$work/suite.sources"
    here=$(pwd)/$work
    cat >"$work/apt.conf" <<EOT
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Default-Release;
APT::Update::Error-Mode "any";
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "$here/state";
Dir::State::lists "$here/state/lists";
Dir::State::status "$here/state/status";
Dir::Cache "$here/cache";
Dir::Cache::archives "$here/cache/archives";
Dir::Log "$here";
Dir::Etc::sourcelist "$here/suite.sources";
Dir::Etc::sourceparts "$here/none";
Dir::Etc::preferences "$here/none/none";
Dir::Etc::preferencesparts "$here/none";
EOT
    echo "$who: fetching $3 of suite $1 into $4"
    private_apt update || fail "cannot read the index of suite $1 at $mirror: $(apt_said)"
    how=$2
    [ "$how" = download ] || how='-y --download-only --no-install-recommends install'
    # shellcheck disable=SC2086 # the options and the package names are words
    (cd "$work/cache/archives" && private_apt -t "$1" $how $3) ||
        fail "cannot download $3 of suite $1 from $mirror: $(apt_said)"
    for deb in "$work"/cache/archives/*.deb; do
        dpkg -x "$deb" "$work/tree" 2>"$work/log" || fail "cannot unpack ${deb##*/}: $(head -n 1 "$work/log")"
        dpkg-deb -W "$deb" >>"$work/tree/packages" || fail "cannot read ${deb##*/}"
    done
}

# keep ROOT: puts what was unpacked in its place, where another process may have put the same meanwhile.
keep() {
    mv "$work/tree" "$1" 2>"$work/log" || [ -e "$1/packages" ] ||
        fail "cannot rename $work/tree to $1: $(head -n 1 "$work/log")"
}

# Removes what killed runs left, and this one's own at its end.
tidy_work() {
    for left in "${work%.*}".*; do
        [ ! -e "$left" ] || kill -0 "${left##*.}" 2>/dev/null || rm -rf "$left"
    done
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
}
