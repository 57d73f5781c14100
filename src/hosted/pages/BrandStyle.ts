/**
 * A brand's colour on the hosted pages. Whatever it is, what stands on it can be read, and what is drawn with it can be
 * seen: black or white is at least 4.58:1 on any colour, and where the colour itself would hardly show on the page, the
 * text's own takes its place.
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

/** As WCAG has it, from 1 to 21. */
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

/** What parts of a page that are not text need beside what they stand on. */
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
    // Away from what is written on it.
    hover: mixed(color, onAccent === WHITE ? BLACK : WHITE, 0.12),
    focus: shows ? color : text,
    border: contrast(color, card) >= VISIBLE ? color : edge
  }
}

const rules = (color: string, ground: Ground): string => {
  const { accent, border, focus, hover, onAccent } = brandColors(color, ground)
  return `:root{--accent:${accent};--onaccent:${onAccent};--hover:${hover};--focus:${focus};--border:${border}}`
}

/** As the pages' own style sheet has them. */
export const light: Ground = { page: "#eef1f5", card: "#ffffff", text: "#1b2330", edge: "#7d8a9b" }
export const dark: Ground = { page: "#0d1218", card: "#161d27", text: "#e8ecf2", edge: "#7f8b9b" }

/** Nothing but what the colour itself decides: its form was checked when the link was made. */
export const brandStyle = (color: string): string =>
  /^#[0-9a-f]{6}$/.test(color) ? `${rules(color, light)}@media (prefers-color-scheme:dark){${rules(color, dark)}}` : ""
