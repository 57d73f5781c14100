/** The headers by which a message tells what of it was signed, and how (RFC 9421 and RFC 9530), as far as pawaPay uses them. */
import { Either, Option } from "effect"

export interface SignatureInput {
  readonly label: string
  /** What is covered, in the order in which it was signed. */
  readonly components: ReadonlyArray<string>
  /** As it was sent: it is signed itself. */
  readonly text: string
  readonly alg: string
  readonly keyId: string
  /** Seconds since 1970. */
  readonly created: number | null
  readonly expires: number | null
}

const member = /^([a-z*][a-z0-9_\-.*]*)=(\(([^()]*)\)((?:;[a-z][a-z0-9_\-.*]*=(?:"[^"\\]*"|\d{1,15}))*))$/

const parameter = /;([a-z][a-z0-9_\-.*]*)=(?:"([^"\\]*)"|(\d+))/g

const component = /^"([@a-z0-9-]+)"$/

/** One signature; several would leave open which of them is meant. */
export const readSignatureInput = (header: string): Either.Either<SignatureInput, string> =>
  Either.gen(function* () {
    const [, label, text, list, tail] = yield* Either.fromNullable(
      member.exec(header.trim()),
      () => "Signature-Input is not of the one form that is expected"
    )
    const items = (list ?? "").split(" ").filter((item) => item !== "")
    const components = items.map((item) => component.exec(item)?.[1])
    if (components.includes(undefined)) return yield* Either.left("Signature-Input names a part with parameters")
    if (new Set(components).size !== components.length) {
      return yield* Either.left("Signature-Input names a part twice")
    }
    const parameters = new Map(
      Array.from((tail ?? "").matchAll(parameter), ([, name = "", quoted, digits]) => [name, quoted ?? digits ?? ""])
    )
    const time = (name: string): number | null => {
      const given = parameters.get(name)
      return given === undefined ? null : Number(given)
    }
    return {
      label: label ?? "",
      components: components as ReadonlyArray<string>,
      text: text ?? "",
      alg: parameters.get("alg") ?? "",
      keyId: parameters.get("keyid") ?? "",
      created: time("created"),
      expires: time("expires")
    }
  })

const bytesMember = /^([a-z*][a-z0-9_\-.*]*)=:([A-Za-z0-9+/]*={0,2}):$/

/** `name=:base64:`, any number of them. */
const readByteMembers = (header: string): ReadonlyArray<readonly [name: string, bytes: Buffer]> =>
  header.split(",").flatMap((one) => {
    const [, name, base64] = bytesMember.exec(one.trim()) ?? []
    return name === undefined || base64 === undefined ? [] : [[name, Buffer.from(base64, "base64")] as const]
  })

export const readSignature = (header: string, label: string): Option.Option<Buffer> =>
  Option.fromNullable(readByteMembers(header).find(([name]) => name === label)?.[1])

export const readDigests = readByteMembers
