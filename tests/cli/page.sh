#!/bin/sh
# The page of mxgen report in a browser: sorts, filters, compares, draws the map, asks nothing of the network and takes
# whatever a report says as text. The browser's results are compared with what the other commands say.
. tests/cli/lib.sh
mxgen=out/bin/mxgen
for browser in chromium chromium-browser google-chrome none; do command -v $browser > /dev/null && break; done
if [ $browser = none ]; then
    skip 'the page in a browser' 'there is no chromium'
    finish
fi
mkdir "$work/out" && ln -s "$(pwd)/out/gfx950" "$work/out/gfx950"
report() {
    "$mxgen" report --tuning gen/gemm.tuning --out "$work/out" "$@" > "$work/said" 2>&1 ||
        not_ok 'a report' "$(head -n 3 "$work/said")"
}
shuffled='--b-layout shuffled --scale-layout shuffled'
printf '1,16,256 512,2048,8192 2048\n1,16,256 512 2048 mxfp4\n2,4096 %s # of <b>\n' '2112 7168' > "$work/problems"
"$B/bin/mxgemm" choose --problems "$work/problems" $shuffled --json > "$work/choices.json"
"$B/bin/mxgemm" choose --problems "$work/problems" $shuffled > "$work/choices"
report --choices "$work/choices.json"
json=$work/out/report/variants.json page=$work/out/report/variants.html
names=$("$mxgen" list | awk '{print $1}')
first=$(echo "$names" | head -n 1) second=$(echo "$names" | sed -n 2p)

# An earlier report: the first variant has more registers and fewer waits, the second is not there, another was, and a
# text tries to be markup.
vgprs=$(sed -n 's/.*"vgprs_allocated": \([0-9]*\).*/\1/p' "$json" | head -n 1)
awk -v first="$first" -v second="$second" '
    /"name":/ {one = index($0, "\"" first "\"") > 0; if (index($0, "\"" second "\"")) sub(second, "old_one")}
    one && /"vgprs_allocated":/ {sub(/[0-9]+,/, "504,")}
    one && /"waits":/ {sub(/[0-9]+,/, "1,")}
    one && /"template":/ {sub(/"[a-z]+",/, "\"</script><img src=x onerror=window.evil=1>\",")}
    {print}' "$json" > "$work/earlier.json"

# browse NAME SCRIPT: what `say` of the script says, a line each, as $work/NAME; then errors and requests, if any.
browse() {
    cat > "$work/before" << 'EOF'
<head><script>var errors = [];
addEventListener("error", e => errors.push("error " + e.message));
addEventListener("unhandledrejection", e => errors.push("rejection " + e.reason));
addEventListener("securitypolicyviolation", e => errors.push("policy " + e.blockedURI));
console.error = (...what) => errors.push("console " + what.join(" "));</script>
EOF
    {
        sed "/^<head>$/{r $work/before
d}" "$page"
        printf '<pre id="said"></pre><script>const said = document.getElementById("said");\n'
        printf 'const say = text => { said.textContent += "=" + text + "\\n"; };\n(async () => { %s\n' "$2"
        printf '})().catch(e => say("failed: " + e)).then(() => { for (const e of errors) say(e);\n'
        printf 'for (const r of performance.getEntriesByType("resource")) say("request " + r.name);\n'
        printf 'say("done"); });</script>'
    } > "$work/$1.html"
    # 2>: what it says of the machine, such as that there is no D-Bus
    HOME=$work timeout 60 $browser --headless --no-sandbox --disable-gpu --virtual-time-budget=60000 --dump-dom \
        "file://$work/$1.html" 2> "$work/log" | sed -n '/<pre id="said">/,/<\/pre>/s/^\(<pre id="said">\)*=//p' |
        sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' > "$work/$1"
    if [ "$(tail -n 1 "$work/$1")" = done ] &&
        ! grep -q '^\(failed:\|error \|rejection \|policy \|console \|request \)' "$work/$1"; then
        ok "$1: no error and no request"
    else
        not_ok "$1: no error and no request" "$(tail -n 3 "$work/$1" "$work/log" | tr '\n' ' ')"
    fi
}
values() { # NAME TAG: what was said after the tag
    sed -n "s/^$2 //p" "$work/$1"
}
are() { # NAME FILE-OF-EXPECTED GOT-NAME TAG
    values "$3" "$4" > "$work/got"
    same "$1" "$2" "$work/got"
}
column='const column = path => { const all = [...document.querySelectorAll("#variants tr.columns th")]
      .map(th => th.dataset.path); return [...document.querySelectorAll("#variants tbody tr")]
      .map(tr => tr.children[all.indexOf(path)].textContent); };
    const head = path => document.querySelector(`#variants th[data-path="${path}"]`);
    const click = path => head(path).querySelector("button").click();'

# ---- the table -----------------------------------------------------------------------------------------------------

browse sorted "$column"'
    for (const name of column("name")) say("listed " + name);
    click("lds_bytes");
    for (const value of column("lds_bytes")) say("up " + value);
    say("sort " + head("lds_bytes").ariaSort + " " + head("name").ariaSort);
    click("lds_bytes");
    for (const value of column("lds_bytes")) say("down " + value);
    say("sort " + head("lds_bytes").ariaSort);
    click("main_loop.per_mfma.valu");
    for (const value of column("main_loop.per_mfma.valu")) say("valu " + value);
    click("name");
    for (const name of column("name")) say("named " + name);'
echo "$names" > "$work/expected"
are 'the variants of the table, in its order' "$work/expected" sorted listed
sed -n 's/^   "lds_bytes": \([0-9]*\).*/\1/p' "$json" > "$work/unsorted"
sort -n "$work/unsorted" > "$work/expected"
if [ -s "$work/expected" ]; then are 'numbers ascend as numbers' "$work/expected" sorted up
else not_ok 'numbers ascend as numbers' 'the report has none'; fi
sort -rn "$work/unsorted" > "$work/expected"
are 'and descend' "$work/expected" sorted down
printf '%s\n' 'ascending none' descending > "$work/expected"
are 'which is said' "$work/expected" sorted sort
values sorted valu > "$work/got"
if grep -v '^–$' "$work/got" | sort -n -c && [ "$(tail -n 1 "$work/got")" = – ] &&
    [ "$(grep -c . "$work/got")" -gt 9 ]; then ok 'fractions ascend, and what has none comes last'
else not_ok 'fractions ascend, and what has none comes last' "$(tr '\n' ' ' < "$work/got")"; fi
if [ "$(values sorted named | sort)" = "$(echo "$names" | sort)" ]; then ok 'names are sorted too'
else not_ok 'names are sorted too' 'they are not those of the table'; fi

# What the text has of the main loops, a line each, with its own sign for nothing.
browse read "$column"'
    const paths = [...document.querySelectorAll("#variants tr.columns th")].map(th => th.dataset.path)
      .filter(path => /^main_loop.(counts|per_mfma|waits)/.test(path)).map(column);
    column("name").forEach((name, i) => say("loop " + name + " " + paths.map(all => all[i]).join(" ")));'
values read loop | sed 's/–/-/g' > "$work/got"
sed -n '/^Main loop/,/^Times/p' "$work/out/report/variants.txt" |
    awk '/^gemm|^quantise/ {print $1, $2, $3, $4, $5, $6, $7, $8, $9}' > "$work/expected"
same 'the page has the numbers of the text' "$work/expected" "$work/got"

browse filtered "$column"'
    const filter = document.getElementById("filter");
    const type = text => { filter.value = text; filter.dispatchEvent(new Event("input")); };
    type("STREAM _f16");
    for (const name of column("name")) say("typed " + name);
    say("shown " + document.getElementById("shown").textContent);
    type("nothing has this");
    say("none " + column("name").length);
    type("");
    const template = document.getElementById("select-template");
    template.value = "tile"; template.dispatchEvent(new Event("change"));
    for (const name of column("name")) say("selected " + name);
    const box = [...document.querySelectorAll("#parts input")].find(b => b.parentNode.textContent.trim() === "budget");
    say("before " + !!head("budget.vgprs.margin"));
    box.click();
    say("after " + !!head("budget.vgprs.margin"));'
echo "$names" | grep stream | grep _f16 > "$work/expected"
are 'words filter, in any case' "$work/expected" filtered typed
echo "$(grep -c . "$work/expected") of $(echo "$names" | grep -c .) variants" > "$work/expected"
are 'and it says how many are left' "$work/expected" filtered shown
echo 0 > "$work/expected"
are 'a word that is nowhere leaves none' "$work/expected" filtered none
echo "$names" | grep gemm_tile > "$work/expected"
are 'a template is selected' "$work/expected" filtered selected
echo false > "$work/expected" && are 'columns can be hidden' "$work/expected" filtered before
echo true > "$work/expected" && are 'and shown' "$work/expected" filtered after

# ---- the map -------------------------------------------------------------------------------------------------------

browse map '
    const select = (id, index) => { const s = document.getElementById(id); s.selectedIndex = index;
      s.dispatchEvent(new Event("change")); };
    const cells = () => [...document.querySelectorAll("#map .cell")];
    const dialog = document.getElementById("details");
    select("map-view", 0);
    say("layers " + cells().length + " " + document.querySelector("#map svg").textContent.includes("of <b>"));
    select("map-view", 1);
    const labels = cells().map(c => c.getAttribute("aria-label"));
    for (const c of cells()) {
      const [, m, n, k] = /M (\d+), N (\d+), K (\d+)/.exec(c.getAttribute("aria-label"));
      c.dispatchEvent(new MouseEvent("click"));
      say(`cell ${m} ${n} ${k} ${dialog.open ? document.getElementById("details-name").textContent : "closed"}`);
      dialog.close();
    }
    const colour = c => c.querySelector("rect").getAttribute("fill"), name = c => c.dataset.variant;
    say("colours " + cells().every(a => cells().every(b => (colour(a) === colour(b)) === (name(a) === name(b)))));
    const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const luminance = of => { pixel.fillStyle = of; pixel.fillRect(0, 0, 1, 1);
      return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map(v => v / 255)
        .map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0); };
    const contrasts = cells().map(c => (luminance(colour(c)) + .05) /
      (luminance(getComputedStyle(c.querySelector("text")).fill) + .05));
    say("contrast " + contrasts.every(c => c >= 4.5) + " " + (Math.max(...contrasts) < 21));
    cells()[0].focus();
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    say("key " + (document.activeElement === cells()[1]) + " " + !document.getElementById("tip").hidden);
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    say("enter " + dialog.open);
    dialog.close();
    const legend = [...document.querySelectorAll("#legend button")];
    legend[0].click();
    say("marked " + cells().filter(c => !c.classList.contains("dim")).length + " " +
      legend[0].querySelector(".count").textContent);
    const refused = () => document.getElementById("refused")?.textContent;
    if (refused()) say("refused " + refused());
    select("map-format", 1);
    for (const c of cells()) say("mxfp4 " + c.getAttribute("aria-label").replace(/.*: (.*),.*/, "$1"));'
echo '2 true' > "$work/expected" && are 'layers are those with a note' "$work/expected" map layers
awk '$4 == "bf16" && $3 == 2048 {print $1, $2, $3, $9}' "$work/choices" | sort > "$work/expected"
values map cell | sort > "$work/got"
same 'a cell for each problem shows the variant that is chosen' "$work/expected" "$work/got"
printf 'true true\n' > "$work/expected"
are 'words on all colours have the contrast that WCAG asks for' "$work/expected" map contrast
echo true > "$work/expected" && are 'one colour a variant' "$work/expected" map colours
echo 'true true' > "$work/expected" && are 'keys move between cells, and a tip goes along' "$work/expected" map key
echo true > "$work/expected" && are 'Enter opens' "$work/expected" map enter
if [ "$(values map marked | awk '$1 == $2 && $1 > 0')" ]; then ok 'the legend marks cells'
else not_ok 'the legend marks cells' "$(values map marked)"; fi
if values map refused | grep -q .; then not_ok 'nothing is refused' "$(values map refused)"
else ok 'nothing is refused'; fi
awk '$4 == "mxfp4" {print $9}' "$work/choices" > "$work/expected"
are 'another format has its own map' "$work/expected" map mxfp4

# ---- changes -------------------------------------------------------------------------------------------------------

changes='const changes = tag => { for (const tr of document.querySelectorAll("#changes tbody tr"))
      say(tag + " " + [...tr.children].map(td => td.textContent + (/better|worse/.exec(td.className) || [""])[0])
        .filter(text => text).join("|"));
      say(tag + " " + [...document.querySelectorAll("#changes .summary span")].map(s => s.textContent).join("|")); };
    const load = async (text, name) => { const input = document.getElementById("load"), list = new DataTransfer();
      const against = document.getElementById("against"), refused = document.getElementById("load-error");
      list.items.add(new File([text], name)); input.files = list.files; against.textContent = "";
      input.dispatchEvent(new Event("change"));
      /* Timers do not take their time here, but reading a file does. */
      for (let i = 0; i < 300 && !against.textContent && !refused.textContent; i++) {
        for (let k = 0; k < 1e6; k++) Math.sqrt(k);
        await new Promise(done => setTimeout(done, 100));
      } };'
waits=$(sed -n 's/.*"waits": \([0-9]*\).*/\1/p' "$json" | head -n 1)
template=$(sed -n 's/.*"template": "\([a-z]*\)".*/\1/p' "$json" | head -n 1)
count=$(echo "$names" | grep -c .)
printf '%s\n' "added|$second" 'removed|old_one' \
    "changed|$first|row: template|</script><img src=x onerror=window.evil=1>|$template" \
    "resources: VGPRs|504|${vgprs}better" "main loop: waits|1|${waits}worse" \
    "1 added|1 removed|1 changed|$((count - 2)) the same" > "$work/expected"
browse loaded "$changes"'
    say("before " + document.querySelectorAll("#changes tr").length);
    await load('"$(tr -d '\n' < "$work/earlier.json" | sed 's/<\/script>/<\\\/script>/g' |
        awk '{gsub(/\\/, "\\\\"); gsub(/`/, "\\`"); print "`" $0 "`"}' |
        sed 's/\\\\\/script/\\\/script/')"', "old.json");
    say("against " + document.getElementById("against").textContent);
    changes("change");
    for (const text of ["nonsense", "{}", "[]", "null", `{"schema": 1, "variants": [{"name": 5}]}`,
      `{"schema": 1, "variants": [null]}`]) {
      await load(text, "bad.json");
      say("refused " + document.getElementById("load-error").textContent.startsWith("bad.json cannot be compared: "));
    }
    changes("kept");
    await load(document.getElementById("data").textContent.length > 0 ? JSON.stringify(report) : "", "same.json");
    changes("same");
    say("evil " + window.evil + " " + document.querySelectorAll("img").length);'
echo 0 > "$work/expected0" && are 'no changes without an earlier report' "$work/expected0" loaded before
are 'a file that is chosen is compared' "$work/expected" loaded change
are 'and stays when another is refused' "$work/expected" loaded kept
yes true | head -n 6 > "$work/expected0" && are 'files that are no report are refused' "$work/expected0" loaded refused
echo 'Against old.json.' > "$work/expected0" && are 'it says what it compares with' "$work/expected0" loaded against
echo "0 added|0 removed|0 changed|$count the same" > "$work/expected0"
are 'a report against itself has no changes' "$work/expected0" loaded same
echo 'undefined 0' > "$work/expected0" && are 'values are never markup' "$work/expected0" loaded evil

report --choices "$work/choices.json" --base "$work/earlier.json"
browse based "$changes"' changes("change"); say("evil " + window.evil + " " + document.querySelectorAll("img").length);'
are 'the same against --base' "$work/expected" based change
are 'and its values are no markup either' "$work/expected0" based evil
if [ "$(wc -c < "$page")" -lt 1500000 ]; then ok 'the page is below 1.5 MB'
else not_ok 'the page is below 1.5 MB' "$(wc -c < "$page")"; fi
printf '{"choices": [' > "$work/refused.json"
for m in 1 2; do
    printf '%s{"m": %s, "n": 512, "k": 64, "a_format": "bf16", "c_format": "bf16", "b_layout": "row", ' \
        "$([ $m = 1 ] || echo ,)" $m
    printf '"scale_layout": "row", "variant": %s, "predicted_us": 0}' "$([ $m = 1 ] && echo null || echo "\"$first\"")"
done >> "$work/refused.json"
echo ']}' >> "$work/refused.json"
report --choices "$work/refused.json"
browse refusing '
    const cells = [...document.querySelectorAll("#map .cell")], tip = document.getElementById("tip");
    for (const c of cells) { c.focus(); say("word " + c.textContent + " " + tip.lastChild.textContent); }
    say("legend " + document.getElementById("refused").textContent);
    say("rows " + document.querySelectorAll("#variants tbody th[scope=row]").length);'
printf '%s\n' '× mxgemm explain says what refuses it' '– no time is predicted' > "$work/expected"
are 'a cell that nothing does is crossed out and says where to ask; one without a time says so' "$work/expected" \
    refusing word
echo '×no variant of this report does it1' > "$work/expected"
are 'and the legend tells what the cross means' "$work/expected" refusing legend
echo "$count" > "$work/expected" && are 'names head their rows' "$work/expected" refusing rows
report
browse plain 'say("map " + document.getElementById("map").textContent);'
if grep -q '^map This report was made without choices' "$work/plain"; then ok 'without choices it says so'
else not_ok 'without choices it says so' "$(cat "$work/plain")"; fi
finish
