/** The style sheet of the hosted pages. Their Content-Security-Policy carries its hash, so it is one constant. */

export const style = `
:root{color-scheme:light dark;--bg:#eef1f5;--card:#fff;--line:#dce1e8;--edge:#7d8a9b;--text:#1b2330;--muted:#526072;--accent:#1d4ed8;--onaccent:#fff;--hover:#1a43bd;--focus:#1d4ed8;--border:transparent;--soft:#f5f7fa;
--good:#15703c;--goodbg:#e7f5ec;--bad:#b42318;--badbg:#fdeceb;--test:#7a4100;--testbg:#fff1dc}
@media (prefers-color-scheme:dark){:root{--bg:#0d1218;--card:#161d27;--line:#2a3441;--edge:#7f8b9b;--text:#e8ecf2;--muted:#a9b4c3;--accent:#8db4ff;--onaccent:#0c1a36;--hover:#a9c6ff;--focus:#8db4ff;--soft:#1e2733;
--good:#6ed69a;--goodbg:#16291f;--bad:#ff9b90;--badbg:#331b19;--test:#f3c27a;--testbg:#2e2412}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;background:var(--bg);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
main{width:100%;max-width:29rem;margin:auto;padding:1.25rem 1rem}
article{background:var(--card);border:1px solid var(--line);border-radius:14px;overflow:hidden;box-shadow:0 1px 2px rgb(16 24 40/.06),0 12px 32px rgb(16 24 40/.08)}
.test{margin:0;padding:.5rem 1.5rem;background:var(--testbg);color:var(--test);font-size:.875rem;text-align:center}
.summary{padding:1.5rem 1.5rem 1.25rem;border-bottom:1px solid var(--line);text-align:center}
.summary p{margin:0}
.label,dt{color:var(--muted);font-size:.875rem}
.logo{display:block;max-width:9rem;max-height:3.5rem;margin:0 auto .75rem;object-fit:contain}
.merchant{font-weight:600;font-size:1.0625rem}
.summary .amount{margin-top:.75rem;font-size:clamp(1.75rem,8.5vw,2.375rem);font-weight:700;letter-spacing:-.02em;line-height:1.15;font-variant-numeric:tabular-nums}
.summary .long{font-size:clamp(1.25rem,6.5vw,2rem)}
.summary .longer{font-size:clamp(1rem,5vw,1.5rem)}
.body{padding:1.25rem 1.5rem 1.5rem}
h1{margin:0 0 .35rem;font-size:1.1875rem;line-height:1.3;text-wrap:balance}
.body p{margin:0;color:var(--muted);text-wrap:pretty}
dl{margin:1rem 0 0;text-align:start;padding:.25rem 1rem;background:var(--soft);border-radius:10px}
dl div{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.6rem 0}
dl div+div{border-top:1px solid var(--line)}
dd{margin:0;margin-inline-start:auto;font-size:.9375rem;min-width:0}
form{margin:1.25rem 0 0;display:grid;gap:.75rem}
button,.button{display:block;width:100%;min-height:3rem;padding:.7rem 1rem;border-radius:10px;border:1px solid transparent;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.primary{background:var(--accent);color:var(--onaccent);border-color:var(--border)}
.primary:hover{background:var(--hover)}
.secondary{background:transparent;color:var(--text);border-color:var(--edge)}
.secondary:hover{background:var(--soft)}
.field+.primary{margin-top:.5rem}
.pair{display:grid;align-items:start;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 .75rem}
.pair .field{display:grid;grid-row:span 3;grid-template-rows:subgrid}
.field label{display:block;margin-bottom:.3rem;font-size:.9375rem;font-weight:600}
.field label span{display:block;font-weight:400;color:var(--muted);font-size:.875rem}
.field input{width:100%;min-height:3rem;padding:.6rem .8rem;border:1px solid var(--edge);border-radius:10px;background:var(--card);color:var(--text);font:inherit;font-variant-numeric:tabular-nums}
.field input[aria-invalid]{border-color:var(--bad);border-width:2px}
.field select{width:100%;min-height:3rem;padding:.6rem .8rem;border:1px solid var(--edge);border-radius:10px;background:var(--card);color:var(--text);font:inherit}
.field select[aria-invalid]{border-color:var(--bad);border-width:2px}
.methods{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(min-content,1fr);gap:.25rem;margin-top:1.25rem;padding:.25rem;background:var(--soft);border-radius:12px}
.methods a{overflow-wrap:break-word;display:grid;place-items:center;min-height:2.75rem;padding:.4rem .25rem;border-radius:9px;color:var(--muted);font-size:.875rem;font-weight:600;line-height:1.2;text-align:center;text-decoration:none}
.methods a:hover{color:var(--text)}
.methods a[aria-current]{background:var(--card);color:var(--text);box-shadow:0 1px 3px rgb(16 24 40/.18)}
.body .problem{margin-top:.3rem;color:var(--bad);font-size:.875rem}
.body .notice{margin-top:1rem;padding:.75rem 1rem;border-radius:10px;background:var(--badbg);color:var(--bad)}
.outcome{text-align:center}
.outcome .button{margin-top:1.25rem}
.body .close{margin-top:1rem}
.sign{display:grid;place-items:center;width:3.25rem;height:3.25rem;margin:.25rem auto .9rem;border-radius:50%;font-size:1.5rem;line-height:1}
.good{background:var(--goodbg);color:var(--good)}
.bad{background:var(--badbg);color:var(--bad)}
.plain{background:var(--soft);color:var(--muted)}
.spinner{width:2.75rem;height:2.75rem;margin:.25rem auto 1rem;border:4px solid var(--line);border-top-color:var(--focus);border-radius:50%;animation:turn 1s linear infinite}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){.spinner{animation:none}}
.outcome .sent{margin-top:1rem}
footer{padding:.25rem 1rem 1.25rem;color:var(--muted);font-size:.8125rem;text-align:center}
footer nav{margin-top:.35rem}
footer a{display:inline-block;padding:.5rem;color:inherit}
footer nav a{min-width:2.75rem;min-height:2.75rem;padding:.65rem .5rem}
@media print{body{background:none}article{box-shadow:none}form,footer nav,.button,.close{display:none}}
@media (max-width:24rem){.summary,.body{padding-left:1.15rem;padding-right:1.15rem}}
`

/**
 * Colours of a brand. Text on the brand colour is black or white, whichever has more contrast (at least 4.58:1). A
 * colour too close to the background is replaced by the text colour.
 */
type Rgb = readonly [red: number, green: number, blue: number]

const rgbOf = (hex: string): Rgb => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb

const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

const linear = (part: number): number => {
  const share = part / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** WCAG contrast ratio, from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [a, b] = [luminance(rgbOf(one)), luminance(rgbOf(other))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

const BLACK = "#000000"
const WHITE = "#ffffff"

const mixed = (one: string, other: string, share: number): string => {
  const [a, b] = [rgbOf(one), rgbOf(other)]
  return hexOf(a.map((part, at) => part + (b[at]! - part) * share) as unknown as Rgb)
}

/** Minimum contrast of elements that are not text. */
const VISIBLE = 3

export interface Ground {
  readonly page: string
  readonly card: string
  readonly text: string
  readonly edge: string
}

export const brandColors = (color: string, { card, edge, page, text }: Ground) => {
  const onAccent = contrast(color, WHITE) >= contrast(color, BLACK) ? WHITE : BLACK
  const shows = contrast(color, card) >= VISIBLE && contrast(color, page) >= VISIBLE
  return {
    accent: color,
    onAccent,
    // Changes away from the text colour.
    hover: mixed(color, onAccent === WHITE ? BLACK : WHITE, 0.12),
    focus: shows ? color : text,
    border: contrast(color, card) >= VISIBLE ? color : edge
  }
}

const rules = (color: string, ground: Ground): string => {
  const { accent, border, focus, hover, onAccent } = brandColors(color, ground)
  return `:root{--accent:${accent};--onaccent:${onAccent};--hover:${hover};--focus:${focus};--border:${border}}`
}

/** The colours of the style sheet above. */
export const light: Ground = { page: "#eef1f5", card: "#ffffff", text: "#1b2330", edge: "#7d8a9b" }
export const dark: Ground = { page: "#0d1218", card: "#161d27", text: "#e8ecf2", edge: "#7f8b9b" }

/** Empty for an invalid colour; the contract has checked it before. */
export const brandStyle = (color: string): string =>
  /^#[0-9a-f]{6}$/.test(color) ? `${rules(color, light)}@media (prefers-color-scheme:dark){${rules(color, dark)}}` : ""
