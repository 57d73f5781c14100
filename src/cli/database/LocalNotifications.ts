/** `corridor notifications` */
import { Effect } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import { type Notification, Outbox } from "../../platform/notifications/NotificationStore.ts"
import { allPages, permitFor, onRecords, permitIn } from "../shared/LocalDatabase.ts"
import { refuse, type IdInput, type OrgInput } from "../shared/CommandInput.ts"
import { minute, properties, tableLayout } from "../shared/Table.ts"
import { mapRefusal } from "../../platform/database/DatabaseFailure.ts"

/** The text may hold the token of an invitation: only "show" shows it. */
const withoutText = ({ text: _text, ...rest }: Notification) => rest

export const list = onRecords(
  Effect.fnUntraced(function* ({ org }: OrgInput) {
    const outbox = yield* Outbox
    const permit = yield* permitIn("platform", org)
    const all = yield* allPages(
      (window) => outbox.list(permit, window),
      (notification) => notification.notification_id
    )
    const rows = all.map((one) => [
      one.notification_id,
      one.kind,
      one.priority,
      one.to,
      one.subject,
      minute(one.created_at)
    ])
    const titles = ["ID", "KIND", "PRIORITY", "TO", "SUBJECT", "CREATED"]
    return {
      data: all.map(withoutText),
      ...tableLayout(titles, rows, "The outbox is empty.", ["KIND", "CREATED", "PRIORITY"])
    }
  })
)

const textOf = (one: Notification): string => {
  const facts = properties([
    ["Notification", one.notification_id],
    ["Organisation", one.org_id],
    ["Kind", one.kind],
    ["Priority", one.priority],
    ["To", one.to],
    ["Subject", one.subject],
    ["Created", one.created_at.toISOString()]
  ])
  return `${facts}\n\n${one.text}`
}

export const show = onRecords(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const outbox = yield* Outbox
    const data = yield* outbox
      .show(yield* permitFor("platform"), uuidOrNil(id))
      .pipe(
        mapRefusal(() =>
          refuse(`There is no notification with the id ${id} ("corridor notifications list" shows them).`)
        )
      )
    return { data, text: textOf(data) }
  })
)
