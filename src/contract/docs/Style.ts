/** The style sheet of the API reference. The page's Content-Security-Policy carries its hash, so it is one constant. */
export const style = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f5f7fa;--line:#dce1e8;--text:#1b2330;--muted:#526072;--link:#1d4ed8;--code:#eef1f5;
--get:#1d4ed8;--post:#15703c;--put:#8a4b00;--delete:#b42318;--other:#526072;--warn:#9a3412;--warnbg:#fff1e6;--accessbg:#eef4ff}
@media (prefers-color-scheme:dark){:root{--bg:#0f141b;--panel:#161d27;--line:#2a3441;--text:#e3e8ef;--muted:#a3afbf;--link:#8db4ff;--code:#1e2733;
--get:#8db4ff;--post:#6ed69a;--put:#f0b866;--delete:#ff9b90;--other:#a3afbf;--warn:#ffb38a;--warnbg:#33211a;--accessbg:#18233a}}
*{box-sizing:border-box}
html{scroll-padding-top:4.25rem;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
main:focus{outline:none}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{overflow-wrap:anywhere}
.prose code,.note code,.servers code{background:var(--code);padding:.1em .35em;border-radius:4px}
pre{margin:.5rem 0;padding:.85rem 1rem;background:var(--panel);border:1px solid var(--line);border-radius:8px;overflow-x:auto;line-height:1.5;font-size:.8125rem;max-height:32rem}
.prose pre code,pre code{background:none;padding:0;font-size:1em;overflow-wrap:normal}
h1,h2,h3,h4,h5,h6{line-height:1.25;text-wrap:balance;margin:1.75em 0 .5em}
h1{font-size:2rem;margin-top:0;letter-spacing:-.02em}
h2{font-size:1.5rem;letter-spacing:-.01em}
h3{font-size:1.1875rem}
h4{font-size:.8125rem;text-transform:uppercase;letter-spacing:.06em;color:var(--muted)}
h5,h6{font-size:.9375rem}
p{margin:.6em 0}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;z-index:3;background:var(--bg);padding:.5rem .75rem}
header{position:sticky;top:0;z-index:1;display:flex;align-items:center;gap:.5rem 1rem;min-height:3.25rem;padding:.25rem 1.5rem;background:var(--bg);border-bottom:1px solid var(--line)}
header span{color:var(--muted)}
.brand{font-weight:700;color:var(--text);text-decoration:none}
.document{margin-left:auto}
header a{padding:.35rem 0}
.layout{display:grid;grid-template-columns:18rem minmax(0,1fr)}
nav{position:sticky;top:3.25rem;height:calc(100vh - 3.25rem);overflow-y:auto;padding:1rem 1rem 3rem;border-right:1px solid var(--line);font-size:.875rem;line-height:1.4}
nav ul{list-style:none;margin:0 0 .5rem;padding:0}
nav a{display:flex;gap:.5rem;align-items:baseline;padding:.3rem .5rem;border-radius:6px;color:var(--text);text-decoration:none}
nav a:hover{background:var(--panel)}
nav a span:last-child{min-width:0}
nav summary{padding:.4rem .5rem;font-weight:600}
nav .tag a{color:var(--muted)}
nav .method{flex:0 0 3.6rem;text-align:center;font-size:.625rem}
.menu,.close{display:none}
main{min-width:0;max-width:82rem;padding:2rem 2.5rem 5rem}
main>section+section{margin-top:4rem;border-top:1px solid var(--line)}
.overview{max-width:52rem}
.overview h1{margin-bottom:.25em}
.version{font-size:.875rem;font-weight:500;letter-spacing:0;color:var(--muted);border:1px solid var(--line);border-radius:99px;padding:.15rem .6rem;vertical-align:middle}
.lead{font-size:1.125rem;color:var(--muted)}
.servers{margin:1.25rem 0;border:1px solid var(--line);border-radius:8px}
.servers div{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:.6rem 1rem}
.servers div+div{border-top:1px solid var(--line)}
.servers dt{flex:0 0 12rem;color:var(--muted)}
.servers dd{margin:0;min-width:0}
.scroll{overflow-x:auto}
.scroll td code{overflow-wrap:break-word}
table{border-collapse:collapse;width:100%;margin:.75rem 0;font-size:.9375rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}
thead th{font-size:.8125rem;color:var(--muted);font-weight:600}
.operation{padding:2.25rem 0 .5rem;scroll-margin-top:-1.25rem}
.operation+.operation{border-top:1px solid var(--line)}
.operation h3{margin:0 0 .35rem}
.operation h3 a{color:inherit;text-decoration:none}
.operation h3 a:hover{text-decoration:underline}
.route{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;margin:0 0 .75rem}
.route code{font-size:.9375rem;min-width:0}
.method{font:700 .6875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.03em;padding:.1rem .4rem;border:1px solid currentColor;border-radius:4px;color:var(--other)}
.get{color:var(--get)}.post{color:var(--post)}.put,.patch{color:var(--put)}.delete{color:var(--delete)}
.open,.deprecated{font-size:.75rem;font-weight:600;padding:.1rem .5rem;border-radius:99px;border:1px solid var(--line);color:var(--muted)}
.deprecated{color:var(--warn);background:var(--warnbg);border-color:transparent}
.columns{display:grid;grid-template-columns:minmax(0,1fr);gap:0 2.5rem}
.about>:first-child,.examples>:first-child{margin-top:.25rem}
.examples{min-width:0}
.examples pre{font-size:.75rem}
.examples h4+pre{white-space:pre-wrap}
.examples h4+pre code{overflow-wrap:anywhere}
.access{background:var(--accessbg);border-radius:8px;padding:.5rem .85rem;font-size:.9375rem}
.access strong{margin-right:.35rem}
.prose>:first-child{margin-top:0}
.prose ul,.prose ol{padding-left:1.35rem}
.parameters{font-size:.875rem;margin:0}
.parameters .name{overflow-wrap:break-word}
.name{font-weight:600;font-size:.875rem}
.type,.media,.note{color:var(--muted);font-size:.8125rem}
.note,.media{margin:.2rem 0}
.note code{color:var(--text)}
.required{color:var(--warn);font-size:.75rem;font-weight:600}
.fields{list-style:none;margin:.4rem 0;padding:0;border-top:1px solid var(--line)}
.fields>li{padding:.55rem 0;border-bottom:1px solid var(--line)}
.fields .fields{margin-left:.15rem;padding-left:.9rem;border-left:2px solid var(--line);border-top:0}
.fields .fields>li:last-child{border-bottom:0}
.field{margin:0}
p.field a{font-size:.875rem}
.fields .prose,.parameters .prose{font-size:.9375rem;line-height:1.5}
.fields .prose p,.parameters .prose p{margin:.2rem 0}
.choice{font-weight:600;font-size:.875rem}
summary{cursor:pointer;padding:.3rem 0;font-size:.875rem}
nav summary:hover,main summary:hover{color:var(--link)}
.response{border-top:1px solid var(--line);padding:.25rem 0;margin:0}
.response summary,p.response{font-size:.9375rem}
p.response{padding:.55rem 0}
.status{font:700 .8125rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.1rem .3rem}
.s2{color:var(--post)}.s3{color:var(--get)}.s4{color:var(--put)}.s5{color:var(--delete)}
footer{padding:1rem 1.5rem;border-top:1px solid var(--line);color:var(--muted);font-size:.875rem}
@media (min-width:75rem){.columns{grid-template-columns:minmax(0,1.25fr) minmax(0,1fr)}.examples{position:sticky;top:4rem;align-self:start;padding:0 .3rem .3rem;max-height:calc(100vh - 5rem);overflow-y:auto}}
@media (max-width:56rem){
.layout{display:block}
header{padding:.25rem 1rem}
.menu,.close{display:block}
nav{display:none}
nav:target{display:block;position:fixed;inset:0;z-index:2;height:auto;background:var(--bg);border:0;font-size:1rem}
nav a{padding:.55rem .5rem}
.close{margin:0;text-align:right}
.close a{display:inline-flex;color:var(--link);text-decoration:underline}
main{padding:1.25rem 1rem 4rem}
h1{font-size:1.625rem}
}
@media (max-width:40rem){
header span{display:none}
.servers dt{flex-basis:100%}
}
@media (max-width:40rem),(min-width:75rem) and (max-width:96rem){
.parameters,.parameters tbody,.parameters tr,.parameters th,.parameters td{display:block}
.parameters thead{position:absolute;left:-99rem}
.parameters tr{padding:.6rem 0;border-bottom:1px solid var(--line)}
.parameters th,.parameters td{display:inline;border:0;padding:0 .5rem 0 0;font-size:.875rem}
.parameters td.wide{display:block;padding:.2rem 0 0}
}
@media print{nav,header,.skip{display:none}.layout{display:block}pre{max-height:none;white-space:pre-wrap}}
`
