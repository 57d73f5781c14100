/** What never changes while the service runs, packed once for who can unpack it, and sent once to who keeps it. */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import type { Outgoing } from "./Outgoing.ts"
import type { Incoming } from "./Route.ts"

interface Version {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Packed {
  readonly plain: Version
  readonly gzipped: Version
}

const versionOf = (body: Buffer, headers: Version["headers"]): Version => ({
  body,
  headers: {
    "cache-control": "no-cache",
    etag: `"${createHash("sha256").update(body).digest("base64url")}"`,
    vary: "Accept-Encoding, Origin",
    ...headers
  }
})

export const pack = async (text: string, headers: Version["headers"]): Promise<Packed> => {
  const plain = Buffer.from(text)
  return {
    plain: versionOf(plain, headers),
    gzipped: versionOf(await promisify(gzip)(plain), { ...headers, "content-encoding": "gzip" })
  }
}

export const packedReply = ({ request }: Incoming, { gzipped, plain }: Packed): Outgoing => {
  const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(request.headers["accept-encoding"] ?? ""))
  const { body, headers } = takesGzip ? gzipped : plain
  const known = request.headers["if-none-match"]?.includes(headers["etag"] ?? "") === true
  return known ? { status: 304, headers, body: undefined } : { status: 200, headers, body, shared: true }
}
