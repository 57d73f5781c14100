/** A real SMTP server on a free port of the loopback interface, with the messages that reached it. */
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Message as it came over the wire, headers and all. */
  readonly source: string
}

export const mailServer = (options: SMTPServerOptions = {}) =>
  Effect.gen(function* () {
    const received: Array<Received> = []
    const server = new SMTPServer({
      disabledCommands: ["STARTTLS", "AUTH"],
      logger: false,
      onData: (stream, { envelope }, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          received.push({
            from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString("utf8")
          })
          done()
        })
      },
      ...options
    })
    const { port } = yield* Effect.acquireRelease(
      Effect.async<AddressInfo>((resume) => {
        const listening = server.listen(0, "127.0.0.1", () =>
          resume(Effect.sync(() => listening.address() as AddressInfo))
        )
      }),
      () => Effect.async<void>((resume) => server.close(() => resume(Effect.void)))
    )
    return { url: `smtp://127.0.0.1:${port}`, received }
  })

const splitAt = "\r\n\r\n"

/** Header names in lower case; folded lines are joined. */
export const headersOf = ({ source }: Received): ReadonlyMap<string, string> =>
  new Map(
    source
      .slice(0, source.indexOf(splitAt))
      .replace(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      })
  )

export const bodyOf = ({ source }: Received): string => source.slice(source.indexOf(splitAt) + splitAt.length)
