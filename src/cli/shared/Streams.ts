/** Where a command writes: the streams of its process, unless whoever runs it reads them. */
import { Context } from "effect"

interface Written {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** A person watches standard error, and sees what is drawn anew. */
  readonly watched: boolean
}

export class Streams extends Context.Reference<Streams>()("cli/Streams", {
  defaultValue: (): Written => ({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    watched: process.stderr.isTTY
  })
}) {}
