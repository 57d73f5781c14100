/** An authority of the test's own and the certificates it signs, written in DER with nothing but Node's crypto. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"

const SEQUENCE = 0x30
const SET = 0x31

const lengthOf = (bytes: number): Buffer => {
  if (bytes < 0x80) return Buffer.from([bytes])
  const hex = bytes.toString(16)
  const octets = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
  return Buffer.concat([Buffer.from([0x80 | octets.length]), octets])
}

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const commonName = oid("550403")
const basicConstraints = oid("551d13")
const subjectAltName = oid("551d11")
const ecdsaWithSha256 = der(SEQUENCE, oid("2a8648ce3d040302"))

const nameOf = (text: string) => der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(0x0c, Buffer.from(text)))))

const timeOf = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`))

const extension = (id: Buffer, value: Buffer) => der(SEQUENCE, id, der(0x04, value))

const DAY = 86_400_000

interface Wanted {
  readonly subject: string
  readonly key: KeyObject
  readonly issuer: string
  readonly issuerKey: KeyObject
  readonly extensions: ReadonlyArray<Buffer>
  readonly until: Date
}

const certificate = ({ extensions, issuer, issuerKey, key, subject, until }: Wanted): string => {
  const content = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer),
    der(SEQUENCE, timeOf(new Date(until.getTime() - 10 * DAY)), timeOf(until)),
    nameOf(subject),
    key.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, ...extensions))
  )
  const signature = der(0x03, Buffer.from([0]), sign("sha256", content, issuerKey))
  const lines = der(SEQUENCE, content, ecdsaWithSha256, signature)
    .toString("base64")
    .match(/.{1,64}/g)
  return `-----BEGIN CERTIFICATE-----\n${lines!.join("\n")}\n-----END CERTIFICATE-----\n`
}

export interface Identity {
  readonly cert: string
  readonly key: string
}

export const newAuthority = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const nextWeek = new Date(Date.now() + 7 * DAY)
  const isAuthority = extension(basicConstraints, der(SEQUENCE, der(0x01, Buffer.from([0xff]))))
  const own = { issuer: name, issuerKey: privateKey }
  return {
    cert: certificate({ ...own, subject: name, key: publicKey, extensions: [isAuthority], until: nextWeek }),
    issue: (host: string, until: Date = nextWeek): Identity => {
      const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
      const name = isIPv4(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host))
      const alternative = extension(subjectAltName, der(SEQUENCE, name))
      return {
        cert: certificate({ ...own, subject: host, key: pair.publicKey, extensions: [alternative], until }),
        key: pair.privateKey.export({ type: "pkcs8", format: "pem" }) as string
      }
    }
  }
}
