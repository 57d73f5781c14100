/**
 * The way to people outside the API. Messages go by SMTP where SMTP_URL is set; the sandbox keeps them in its outbox
 * otherwise, and the log says so without their text, which may hold the token of an invitation.
 */
import { Context, Effect, Layer, Option, Schema, Duration, Redacted } from "effect"
import { Settings, type Mailbox } from "../config/Settings.ts"
import { EmailAddress, oneLine } from "../../domain/MailSafeText.ts"
import { RateLimited } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import {
  MessageCounts,
  type Message,
  NotificationFailed,
  type NotificationPriority,
  NotificationStore
} from "./NotificationStore.ts"
import type { Stored } from "../database/DatabaseFailure.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import {
  messagesOfOrganization,
  messagesToRecipient,
  messagesToRecipientOfOne,
  receiptsOfOrganization,
  mailTimeout
} from "../../domain/policies/PeoplePolicies.ts"
import { createTransport } from "nodemailer"

/** Whether one more message may go out: by its organisation, to its recipient, and by the one to the other. */

/** Hash of a recipient, case-insensitive: addresses are not stored. */
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

/** Checks the recipient's limit first, then the organisation's: a refused message uses up neither. */
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

/** One message over SMTP. Whatever a message holds, it goes to its one recipient and adds no header of its own. */

/** Two headers, since no mail program reads both. */
const priorityHeaders: Readonly<Record<NotificationPriority, Readonly<Record<string, string>>>> = {
  low: { "X-Priority": "5", Importance: "low" },
  medium: { "X-Priority": "3", Importance: "normal" },
  high: { "X-Priority": "2", Importance: "high" },
  urgent: { "X-Priority": "1", Importance: "high" }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "no reason given")

const makeMail = (url: Redacted.Redacted, from: Mailbox) => {
  const patience = Duration.toMillis(mailTimeout)
  const transport = createTransport({
    url: Redacted.value(url),
    dnsTimeout: patience,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return ({ priority, subject, text, to }: Message): Effect.Effect<void, NotificationFailed> =>
    Effect.tryPromise({
      try: () =>
        transport.sendMail({
          // Both as objects: text would be read as a list of addresses.
          from: { ...from },
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          subject,
          text,
          headers: { ...priorityHeaders[priority], "Auto-Submitted": "auto-generated" }
        }),
      catch: (error) =>
        new NotificationFailed({ message: `The mail server did not take the message: ${reasonOf(error)}` })
    }).pipe(
      Effect.timeoutFail({
        duration: mailTimeout,
        onTimeout: () =>
          new NotificationFailed({
            message: `The mail server of SMTP_URL did not take the message within ${Duration.format(mailTimeout)}.`
          })
      }),
      Effect.asVoid
    )
}

type Deliver = (message: Message) => Stored<void, NotificationFailed>
type Send = (message: Message) => Stored<void, NotificationFailed | RateLimited>

const isAddress = Schema.is(Schema.typeSchema(EmailAddress))

/** Characters that are quoted or separate addresses; the next mail server may misread them. */
const meansMore = /[,;:<>()[\]"\\]/

const nowhere: Deliver = () =>
  Effect.fail(new NotificationFailed({ message: "No mail is sent: set SMTP_URL to the mail server, and NOTIFY_FROM." }))

export class Notifier extends Context.Tag("corridor/Notifier")<
  Notifier,
  {
    /** RateLimited: their organisation, or others together, wrote to too many people, or to this one too often. */
    readonly send: Send
  }
>() {
  static readonly layer = Layer.effect(
    Notifier,
    Effect.gen(function* () {
      const { mode, notifyFrom, smtpUrl } = yield* Settings
      const store = yield* NotificationStore
      const ids = yield* Ids
      const counts = yield* MessageCounts

      const keep: Deliver = Effect.fnUntraced(function* (message) {
        const notification_id = yield* ids.next
        yield* store.insert({ ...message, notification_id })
        const { kind, org_id, priority } = message
        yield* Effect.logInfo(`A message is in the outbox: corridor notifications show ${notification_id}`).pipe(
          Effect.annotateLogs({ kind, org_id, priority })
        )
      })

      const deliver = Option.match(smtpUrl, {
        onNone: () => (mode === "sandbox" ? keep : nowhere),
        onSome: (url) => makeMail(url, notifyFrom)
      })

      return {
        send: Effect.fn("Notifier.send")(function* (message) {
          if (!isAddress(message.to) || meansMore.test(message.to)) {
            return yield* new NotificationFailed({ message: "The recipient has no valid e-mail address." })
          }
          yield* countMessage(counts, message)
          yield* deliver({ ...message, subject: oneLine(message.subject) })
        })
      }
    })
  )
}
