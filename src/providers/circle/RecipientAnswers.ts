/** From what Circle says of recipients' addresses to the ids that transfers go to. */
import { Either, Schema } from "effect"
import { Declined } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade } from "../client/ProviderReplies.ts"
import { enclosed, optional, refusalOf, unreadable } from "./CircleReplies.ts"
import type { RecipientCreation } from "./CircleRequests.ts"

const Recipient = Schema.Struct({
  id: Schema.String,
  address: optional(Schema.String),
  chain: optional(Schema.String),
  status: optional(Schema.String)
})

const decodeRecipient = enclosed(Recipient)
const decodeRecipients = enclosed(Schema.Array(Recipient))

/** `known`: Circle has the address under an id that must be looked for. */
export type RecipientAnswer = { readonly id: string } | "known"

const usable = ({ id, status }: typeof Recipient.Type): Either.Either<{ readonly id: string }, Declined> =>
  status === "pending_verification"
    ? Either.left(
        new Declined({
          reason: "The recipient's address waits for its verification in the Circle console",
          code: "NOT_SUPPORTED",
          providerCode: status
        })
      )
    : Either.right({ id })

export const recipientCreated = (reply: ProviderReply): Either.Either<RecipientAnswer, Declined> => {
  if (reply.status === 409) return Either.right("known")
  if (isMade(reply)) {
    return Either.match(decodeRecipient(reply.json), {
      onLeft: () => Either.left(new Declined({ reason: unreadable(reply).reason, code: "PROVIDER_UNAVAILABLE" })),
      onRight: ({ data }) => usable(data)
    })
  }
  const refusal = refusalOf(reply)
  return Either.left(
    refusal._tag === "Declined"
      ? refusal
      : new Declined({ reason: refusal.reason, code: "PROVIDER_UNAVAILABLE", providerCode: `${reply.status}` })
  )
}

export interface RecipientPage {
  readonly found: { readonly id: string } | undefined
  /** The id to go on from; nothing on the last page. */
  readonly next: string | undefined
}

export const recipientListed = (
  reply: ProviderReply,
  { address, chain }: RecipientCreation
): Either.Either<RecipientPage, Declined> =>
  Either.gen(function* () {
    const { data } = yield* Either.mapLeft(
      reply.status === 200 ? decodeRecipients(reply.json) : Either.left(undefined),
      () => new Declined({ reason: `HTTP ${reply.status} to a list of recipients`, code: "PROVIDER_UNAVAILABLE" })
    )
    const known = data.find((one) => one.address === address && one.chain === chain)
    return known === undefined
      ? { found: undefined, next: data.at(-1)?.id }
      : { found: yield* usable(known), next: undefined }
  })
