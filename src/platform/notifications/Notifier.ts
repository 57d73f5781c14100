/**
 * The way to people outside the API. Messages go by SMTP where SMTP_URL is set; the sandbox keeps them in its outbox
 * otherwise, and the log says so without their text, which may hold the token of an invitation.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Settings } from "../config/Settings.ts"
import { EmailAddress } from "../../domain/EmailAddress.ts"
import type { RateLimited } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import { oneLine } from "../../domain/PlainWords.ts"
import { countMessage } from "./Allowance.ts"
import { MessageCounts } from "./MessageCounts.ts"
import { makeMail } from "./Mail.ts"
import { type Message, NotificationFailed } from "./Notification.ts"
import { NotificationStore } from "./NotificationStore.ts"
import type { Stored } from "../database/DatabaseFailure.ts"

type Deliver = (message: Message) => Stored<void, NotificationFailed>
type Send = (message: Message) => Stored<void, NotificationFailed | RateLimited>

const isAddress = Schema.is(Schema.typeSchema(EmailAddress))

/** In an address these are quoted or mean a list of several; nobody's address needs them, and the next server may misread them. */
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
