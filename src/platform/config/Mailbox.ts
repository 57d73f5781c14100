/** The address that messages come from, with or without a name before it. */
import { Either, Schema } from "effect"
import { EmailAddress } from "../../domain/EmailAddress.ts"

export interface Mailbox {
  readonly name: string
  readonly address: string
}

const isAddress = Schema.is(Schema.typeSchema(EmailAddress))

const named = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u

/** A machine that mails only itself needs no dot in its name. */
const isLocal = (address: string): boolean => /^[\w.+-]+@localhost$/.test(address)

export const parseMailbox = (text: string): Either.Either<Mailbox, string> => {
  const [, name, inBrackets] = named.exec(text.trim()) ?? []
  const address = (inBrackets ?? text).trim()
  return isAddress(address) || isLocal(address)
    ? Either.right({ name: (name ?? "").trim(), address })
    : Either.left("expected an e-mail address, such as payments@example.com or Payments <payments@example.com>")
}
