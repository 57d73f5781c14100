/** Credentials of a configuration's account: validation, encryption and decryption. */
import { Data, Effect, Either, Redacted, Schema } from "effect"
import type { ConfigId } from "../../domain/Ids.ts"
import { urlOf } from "../../domain/Url.ts"
import { longestCredential } from "../../domain/policies/ProviderPolicies.ts"
import type { Mode } from "../../platform/config/Settings.ts"
import type { VaultService } from "../../platform/secrets/Vault.ts"
import { isSame } from "../port/Callback.ts"
import type { CredentialField } from "../port/ThirdParty.ts"
import { credentialOfOtherMode } from "./AccountMode.ts"
import type { ProviderAccount, EncryptedAccount } from "./ProviderAccountStore.ts"
import { type AnyThirdParty, type GivenCredentials, thirdPartyNamed } from "./ThirdParties.ts"
import type { RotatableTable } from "../../platform/secrets/Secrets.ts"

const plainText = /^[\x20-\x7e]*$/

/** Credentials in headers and signatures must be ASCII on one line. Checked here, as use would fail late. */
export const unsendable = (value: string, { lines }: Pick<CredentialField, "lines">): string | undefined => {
  if (plainText.test(lines === true ? value.replaceAll(/\r?\n/g, "") : value)) return undefined
  return lines !== true && /[\r\n]/.test(value)
    ? "has a line break in it"
    : "has a character in it that is not plain ASCII"
}

const wrongAddress = (value: string, mode: Mode): string | undefined => {
  const protocol = urlOf(value)?.protocol
  const isUsable = protocol === "https:" || (protocol === "http:" && mode === "sandbox")
  return isUsable ? undefined : "must be an address that starts with https://"
}

const wrongWith = (value: string, field: CredentialField, mode: Mode): string | undefined => {
  if (value.trim() === "") return "is empty"
  if (Buffer.byteLength(value) > longestCredential) return `is longer than ${longestCredential} bytes`
  if (value.trim() !== value) return "has spaces or line breaks around it"
  return unsendable(value, field) ?? (field.isAddress === true ? wrongAddress(value, mode) : undefined)
}

/** The reason names the field, and never repeats a value. */
export const checkCredentials = (
  party: AnyThirdParty,
  typed: Readonly<Record<string, string>>,
  mode: Mode
): Either.Either<GivenCredentials, string> => {
  const { fields, title } = party
  const known = Object.keys(fields)
  for (const [name, value] of Object.entries(typed)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) return Either.left(`${name}: ${title} has no such field; it has ${known.join(", ")}.`)
    const wrong = wrongWith(value, field, mode)
    if (wrong !== undefined) return Either.left(`${name}: ${wrong}.`)
  }
  const absent = known.find((name) => fields[name]?.optional !== true && !Object.hasOwn(typed, name))
  if (absent !== undefined) return Either.left(`${absent}: is missing, and ${title} needs it.`)
  const given = Object.fromEntries(Object.entries(typed).map(([name, value]) => [name, Redacted.make(value)]))
  const ofOther = credentialOfOtherMode(party, mode, given)
  return ofOther === undefined ? Either.right(given) : Either.left(`${ofOther.field}: ${ofOther.reason}.`)
}

/** Encryption context: credentials decrypt for their own configuration only. */
const credentialsContext = (id: string): string => `provider account ${id}`

const Kept = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
const encode = Schema.encodeSync(Kept)
const decode = Schema.decodeEither(Kept)

const plain = (given: GivenCredentials): string =>
  encode(
    Object.fromEntries(
      Object.entries(given)
        .map(([name, value]) => [name, Redacted.value(value)] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
    )
  )

export { plain as writtenCredentials }

export const readCredentials = (text: string): Either.Either<GivenCredentials, unknown> =>
  Either.map(decode(text), (kept) =>
    Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, Redacted.make(value)]))
  )

export const isSameCredentials = (one: GivenCredentials, other: GivenCredentials): boolean =>
  isSame(plain(one), plain(other))

export const encryptCredentials = (vault: VaultService, id: ConfigId, given: GivenCredentials): Effect.Effect<string> =>
  vault.encrypt(plain(given), credentialsContext(id))

/** The message contains no secret. */
export class CannotOpen extends Data.TaggedError("CannotOpen")<{ readonly message: string }> {}

interface OpenedAccount {
  readonly party: AnyThirdParty
  readonly credentials: GivenCredentials
}

/**
 * Fails if a field that became mandatory later is missing; ignores fields that no longer exist. Fails for credentials of
 * the other mode, such as test keys from before the service went live.
 */
export const decryptCredentials = (
  vault: VaultService,
  { config_id, provider, sealed }: EncryptedAccount & Pick<ProviderAccount, "provider">,
  mode: Mode
): Effect.Effect<OpenedAccount, CannotOpen> =>
  Effect.gen(function* () {
    const party = thirdPartyNamed(provider)
    if (party === undefined) return yield* new CannotOpen({ message: `There is no adapter for ${provider}.` })
    const text = yield* vault.decrypt(sealed, credentialsContext(config_id))
    const kept = yield* Either.mapLeft(decode(text), () => new CannotOpen({ message: "They are not what was kept." }))
    const asked = Object.fromEntries(Object.entries(kept).filter(([name]) => Object.hasOwn(party.fields, name)))
    const credentials = yield* Either.mapLeft(
      checkCredentials(party, asked, mode),
      (message) => new CannotOpen({ message })
    )
    return { party, credentials }
  }).pipe(Effect.catchTag("VaultError", ({ message }) => new CannotOpen({ message })))

const sealed = { columns: ["sealed"], context: credentialsContext }

/** Current and replaced credentials. */
export const rotatableCredentials: ReadonlyArray<RotatableTable> = [
  { ...sealed, table: "provider_accounts", key: ["config_id"] },
  { ...sealed, table: "replaced_credentials", key: ["config_id", "version"] }
]
