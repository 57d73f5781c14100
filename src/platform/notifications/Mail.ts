/** One message over SMTP. Whatever a message holds, it goes to its one recipient and adds no header of its own. */
import { Duration, Effect, Redacted } from "effect"
import { createTransport } from "nodemailer"
import { mailTimeout } from "../../domain/policies/People.ts"
import type { Mailbox } from "../config/Mailbox.ts"
import { type Message, NotificationFailed, type NotificationPriority } from "./Notification.ts"

/** Two headers, since no mail program reads both. */
const priorityHeaders: Readonly<Record<NotificationPriority, Readonly<Record<string, string>>>> = {
  low: { "X-Priority": "5", Importance: "low" },
  medium: { "X-Priority": "3", Importance: "normal" },
  high: { "X-Priority": "2", Importance: "high" },
  urgent: { "X-Priority": "1", Importance: "high" }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "no reason given")

export const makeMail = (url: Redacted.Redacted, from: Mailbox) => {
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
