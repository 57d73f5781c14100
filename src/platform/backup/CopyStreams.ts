/** COPY over a connection of pg, in both directions, as fast as the slower side allows. */
import { once } from "node:events"
import type { Socket } from "node:net"
import type { Writable } from "node:stream"
import type Pg from "pg"

/** As much of pg's connection as its own queries use. */
interface Connection {
  readonly stream: Socket
  readonly query: (text: string) => void
  readonly sync: () => void
  readonly sendCopyFromChunk: (chunk: Buffer) => void
  readonly endCopyFrom: () => void
  readonly sendCopyFail: (reason: string) => void
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)))

/** What both have in common: pg tells a query of its own of the messages that are for it. */
abstract class Copy {
  private readonly text: string
  private readonly settle: (error?: Error) => void
  constructor(text: string, settle: (error?: Error) => void) {
    this.text = text
    this.settle = settle
  }

  submit(connection: unknown): void {
    ;(connection as Connection).query(this.text)
  }

  /** Nothing more is told of a query that has failed. */
  handleError(error: Error): void {
    this.settle(error)
  }

  handleReadyForQuery(): void {
    this.settle()
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(_connection: Connection): void {}
  handleCopyData(_message: { readonly chunk: Buffer }, _connection: Connection): void {}
}

class Out extends Copy {
  rows = 0
  private paused = false
  private readonly into: Writable

  constructor(text: string, into: Writable, settle: (error?: Error) => void) {
    super(text, settle)
    this.into = into
  }

  override handleCopyData({ chunk }: { readonly chunk: Buffer }, { stream }: Connection): void {
    this.rows += 1
    // What has arrived already is still told, row by row.
    if (this.into.write(Buffer.from(chunk)) || this.paused) return
    this.paused = true
    stream.pause()
    this.into.once("drain", () => {
      this.paused = false
      stream.resume()
    })
  }
}

class In extends Copy {
  private readonly source: AsyncIterable<Buffer>

  constructor(text: string, source: AsyncIterable<Buffer>, settle: (error?: Error) => void) {
    super(text, settle)
    this.source = source
  }

  override handleCopyInResponse(connection: Connection): void {
    void this.send(connection)
  }

  private async send(connection: Connection): Promise<void> {
    try {
      for await (const chunk of this.source) {
        connection.sendCopyFromChunk(chunk)
        if (connection.stream.writableNeedDrain) await once(connection.stream, "drain")
      }
      connection.endCopyFrom()
    } catch (cause) {
      connection.sendCopyFail(asError(cause).message)
    }
  }
}

const settled = (resolve: () => void, reject: (error: Error) => void) => (error?: Error) =>
  error === undefined ? resolve() : reject(error)

/** Answers with the number of rows; each has its own line. */
export const copyOut = (client: Pg.Client, text: string, into: Writable): Promise<number> =>
  new Promise((resolve, reject) => {
    const out: Out = new Out(
      text,
      into,
      settled(() => resolve(out.rows), reject)
    )
    client.query(out)
  })

export const copyIn = (client: Pg.Client, text: string, source: AsyncIterable<Buffer>): Promise<void> =>
  new Promise((resolve, reject) => {
    client.query(new In(text, source, settled(resolve, reject)))
  })
