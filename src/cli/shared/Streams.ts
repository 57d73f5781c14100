/** Where a command writes: the streams of its process, unless whoever runs it reads them. */
import { Context } from "effect"

export interface Written {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** A person watches standard error, and sees what is drawn anew. */
  readonly watched: boolean
  /** How wide the terminal is that standard output goes to; nothing where it goes into a file or a pipe. */
  readonly columns?: number | undefined
  /** Whether that terminal shows colours, and nobody has asked for none. */
  readonly colours?: boolean
}

const wantsColours = (): boolean => {
  const { NO_COLOR, TERM } = process.env
  return process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb"
}

export class Streams extends Context.Reference<Streams>()("cli/Streams", {
  defaultValue: (): Written => ({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    watched: process.stderr.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    colours: wantsColours()
  })
}) {}
