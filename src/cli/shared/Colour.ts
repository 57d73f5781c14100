/** A few colours, for terminals that show them; everywhere else the text stays as it is. */
import type { Written } from "./Streams.ts"

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

export type Colour = keyof typeof codes

export type Paint = (colour: Colour, text: string) => string

export const painter = ({ colours = false }: Pick<Written, "colours">): Paint =>
  colours
    ? (colour, text) => {
        const [on, off] = codes[colour]
        return `\u001b[${on}m${text}\u001b[${off}m`
      }
    : (_, text) => text
