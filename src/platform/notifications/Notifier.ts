/**
 * Messages to people outside the API, by SMTP if SMTP_URL is set. Otherwise the sandbox keeps them in its outbox. The log
 * never shows their text, which may hold the token of an invitation.
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
import { traced } from "../observability/Spans.ts"

/** Limits of a message: by its organisation to its recipient, by its organisation, and to its recipient. */
const limitsOf = ({ kind, org_id, to }: Message) => {
  // A hash, case-insensitive: addresses are not stored.
  const recipient = sha256Hex(to.toLowerCase())
  const toRecipient = [`to ${recipient}`, messagesToRecipient, "messages to this address"] as const
  if (org_id === null) return [toRecipient]
  return [
    [
      `by ${org_id} to ${recipient}`,
      messagesToRecipientOfOne,
      "messages of this organisation to this address"
    ] as const,
    // Payers ask for receipts, so these do not count with the messages that the organisation sends itself.
    kind === "receipt"
      ? ([`receipts by ${org_id}`, receiptsOfOrganization, "receipts of this organisation"] as const)
      : ([`by ${org_id}`, messagesOfOrganization, "messages of this organisation"] as const),
    toRecipient
  ]
}

/** Counts a message, or refuses it. */
export const countMessage = Effect.fnUntraced(function* (counts: MessageCounts["Type"], message: Message) {
  for (const [name, most, what] of limitsOf(message)) {
    const counted = yield* counts.count(name, most)
    if (counted.allowed) continue
    const { retryAfterSeconds } = counted
    return yield* new RateLimited({
      message: `Too many ${what}: try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds
    })
  }
})

/** Two headers, since no mail program reads both. */
const priorityHeaders: Readonly<Record<NotificationPriority, Readonly<Record<string, string>>>> = {
  low: { "X-Priority": "5", Importance: "low" },
  medium: { "X-Priority": "3", Importance: "normal" },
  high: { "X-Priority": "2", Importance: "high" },
  urgent: { "X-Priority": "1", Importance: "high" }
}

/** Sends a message over SMTP, to its one recipient and with no header of its own. */
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
      catch: (error) => {
        const reason = error instanceof Error ? error.message : "no reason given"
        return new NotificationFailed({ message: `The mail server did not take the message: ${reason}` })
      }
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
  Effect.fail(
    new NotificationFailed({
      message: "No mail is sent: set SMTP_URL to the mail server, and NOTIFY_FROM.",
      noServer: true
    })
  )

export class Notifier extends Context.Tag("corridor/Notifier")<
  Notifier,
  {
    /** RateLimited: too many messages of the organisation, or to this recipient. */
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
        send: traced("Notifier.send")(function* (message) {
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
