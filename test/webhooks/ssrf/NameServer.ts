/** Name server on loopback with the names of a test, silent about all others. */
import { createSocket } from "node:dgram"
import { Effect } from "effect"

const A = 1
const AAAA = 28

export interface Record {
  readonly a?: ReadonlyArray<string>
  /** In full, without `::`. */
  readonly aaaa?: ReadonlyArray<string>
  /** Answers that there is no such name, or that the server failed. */
  readonly refusal?: "NXDOMAIN" | "SERVFAIL"
  /** The kind of question that is left without an answer. */
  readonly silentAbout?: "a" | "aaaa"
}

const codes = { NXDOMAIN: 3, SERVFAIL: 2 } as const

const bytesOf = (address: string): Buffer =>
  address.includes(":")
    ? Buffer.from(
        address
          .split(":")
          .map((part) => part.padStart(4, "0"))
          .join(""),
        "hex"
      )
    : Buffer.from(address.split(".").map(Number))

const question = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const answer = (query: Buffer, { a = [], aaaa = [], refusal }: Record): Buffer => {
  const { end, type } = question(query)
  const addresses = refusal !== undefined ? [] : type === A ? a : type === AAAA ? aaaa : []
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(0x8180 | (refusal === undefined ? 0 : codes[refusal]), 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) => {
    const data = bytesOf(address)
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0)
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt32BE(60, 6)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([head, ...records])
}

export const newNameServer = (names: { readonly [name: string]: Record } = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const asked: Array<string> = []
        const socket = createSocket("udp4", (query, { address, port }) => {
          const { name, type } = question(query)
          asked.push(name)
          const record = names[name]
          const silent = record?.silentAbout === (type === A ? "a" : "aaaa")
          if (record !== undefined && !silent) socket.send(answer(query, record), port, address)
        })
        await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done))
        return { asked, socket, server: `127.0.0.1:${socket.address().port}` }
      }),
      ({ socket }) => Effect.promise(() => new Promise<void>((done) => socket.close(() => done())))
    ),
    ({ asked, server }) => ({ asked: asked as ReadonlyArray<string>, server })
  )
