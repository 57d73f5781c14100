/** How the fake of Circle signs as Amazon SNS does: with a key of its own, and a certificate that it makes for it. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { type SnsMessage, signedText } from "./CircleSignatures.ts"

const der = (tag: number, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

const [INTEGER, BIT_STRING, NULL, OID, UTF8, TIME, SEQUENCE, SET, VERSION] = [
  0x02, 0x03, 0x05, 0x06, 0x0c, 0x17, 0x30, 0x31, 0xa0
] as const

const rsaWithSha256 = der(SEQUENCE, der(OID, Buffer.from("2a864886f70d01010b", "hex")), der(NULL))
const commonName = Buffer.from("550403", "hex")
const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, commonName), der(UTF8, Buffer.from("sns.fake")))))
const validity = der(SEQUENCE, der(TIME, Buffer.from("200101000000Z")), der(TIME, Buffer.from("491231235959Z")))

const certificateOf = (publicKey: KeyObject, privateKey: KeyObject): string => {
  const body = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    rsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" })
  )
  const signature = der(BIT_STRING, Buffer.from([0]), sign("sha256", body, privateKey))
  const lines =
    der(SEQUENCE, body, rsaWithSha256, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? []
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n")
}

export interface Signer {
  /** Its name changes with the key, as Amazon's does, so that nobody keeps an old one under it. */
  readonly certificatePath: string
  readonly certificate: string
  readonly sign: (message: Omit<SnsMessage, "Signature">) => SnsMessage
}

const makeSigner = (): Signer => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const certificate = certificateOf(publicKey, privateKey)
  const fingerprint = createHash("sha256").update(certificate).digest("hex").slice(0, 32)
  return {
    certificatePath: `/SimpleNotificationService-${fingerprint}.pem`,
    certificate,
    sign: (message) => ({
      ...message,
      Signature: sign(
        message.SignatureVersion === "1" ? "sha1" : "sha256",
        Buffer.from(signedText(message)),
        privateKey
      ).toString("base64")
    })
  }
}

let made: Signer | undefined

/** Made when it is first needed: that takes a moment. */
export const fakeSigner = (): Signer => (made ??= makeSigner())
