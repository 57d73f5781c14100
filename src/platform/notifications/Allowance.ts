/** Whether one more message may go out: by its organisation, to its recipient, and by the one to the other. */
import { Effect } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import { RateLimited } from "../../domain/Failure.ts"
import {
  messagesOfOrganization,
  messagesToRecipient,
  messagesToRecipientOfOne,
  receiptsOfOrganization
} from "../../domain/policies/People.ts"
import type { MessageCounts } from "./MessageCounts.ts"
import type { Message } from "./Notification.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

/** Addresses are not kept: whoever is written to is known by a hash, whatever the case of the letters. */
const recipientOf = ({ to }: Message): string => sha256Hex(to.toLowerCase())

interface Limit {
  readonly name: string
  readonly most: number
  readonly what: string
}

/** Payers ask for receipts, as many as they like: those keep the organisation from nothing that it sends itself. */
const ofOrganization = (org_id: string, kind: Message["kind"]): Limit =>
  kind === "receipt"
    ? { name: `receipts by ${org_id}`, most: receiptsOfOrganization, what: "receipts of this organisation" }
    : { name: `by ${org_id}`, most: messagesOfOrganization, what: "messages of this organisation" }

/**
 * What concerns nobody else comes first: a message that this recipient gets no more of uses up nothing of what others
 * are sent, and an organisation that may send no more uses up nobody's patience.
 */
const limitsOf = (message: Message): ReadonlyArray<Limit> => {
  const recipient = recipientOf(message)
  const all = { name: `to ${recipient}`, most: messagesToRecipient, what: "messages to this address" }
  if (message.org_id === null) return [all]
  return [
    {
      name: `by ${message.org_id} to ${recipient}`,
      most: messagesToRecipientOfOne,
      what: "messages of this organisation to this address"
    },
    ofOrganization(message.org_id, message.kind),
    all
  ]
}

/** Counts it, or says when to come again. */
export const countMessage = (counts: MessageCounts["Type"], message: Message): Stored<void, RateLimited> =>
  Effect.forEach(
    limitsOf(message),
    ({ most, name, what }) =>
      Effect.flatMap(counts.count(name, most), (counted) =>
        counted.allowed
          ? Effect.void
          : Effect.fail(
              new RateLimited({
                message: `Too many ${what}: try again in ${counted.retryAfterSeconds} s.`,
                retryAfterSeconds: counted.retryAfterSeconds
              })
            )
      ),
    { discard: true }
  )
