import { expect } from "@effect/vitest"
import { Effect, Layer, Logger, LogLevel, Option } from "effect"
import { type OrgId, nilUuid } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { type Message, NotificationStore, Outbox } from "../../../src/platform/notifications/NotificationStore.ts"
import { Notifier } from "../../../src/platform/notifications/Notifier.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"

const quietly = Logger.withMinimumLogLevel(LogLevel.Warning)

const sandbox = Effect.provide(Layer.merge(Notifier.layer, Outbox.layer).pipe(Layer.provide(testSettings())))

const message = (org_id: OrgId | null, about: Partial<Message> = {}): Message => ({
  to: "zoë@example.com",
  subject: "Einladung “Kilimo”",
  text: "Token: sesame\nfor you only",
  org_id,
  kind: "invitation",
  priority: "medium",
  ...about
})

onBothStores("The outbox", (it) => {
  it.effect("keeps a sandbox's message, and logs it without text and recipient", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const log = Logger.replace(
        Logger.defaultLogger,
        Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
      )
      const { org_id } = yield* newOrganization()
      const outbox = yield* Outbox
      yield* Effect.flatMap(Notifier, (notifier) => notifier.send(message(org_id))).pipe(Effect.provide(log))
      const permit = operatorPermit("platform", "olga", Option.some(org_id))
      const [kept, ...rest] = yield* outbox.list(permit, everything)
      expect(rest).toEqual([])
      expect(kept).toEqual({
        ...message(org_id),
        notification_id: expect.any(String),
        created_at: expect.any(Date)
      })
      expect(yield* outbox.show(permit, kept!.notification_id)).toEqual(kept)
      expect(lines.join("\n")).toContain(kept!.notification_id)
      expect(lines.join("\n")).not.toMatch(/sesame|zo.*@example/)
    }).pipe(sandbox)
  )

  it.effect("refuses what is not one address", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      for (const to of ["", "ada", "ada@example.com\r\nBcc: eve@example.com", "ada@example.com, eve@example.com"]) {
        const failed = yield* Effect.flip(
          Effect.flatMap(Notifier, (notifier) => notifier.send(message(org_id, { to })))
        )
        expect(failed._tag).toBe("NotificationFailed")
      }
      const store = yield* NotificationStore
      expect(yield* store.list(Option.some(org_id), everything)).toEqual([])
    }).pipe(sandbox)
  )

  it.effect("is read within its scope, newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* NotificationStore
      const outbox = yield* Outbox
      const notifier = yield* Notifier
      const [here, there] = yield* Effect.all([newOrganization(), newOrganization()])
      const three = Effect.replicateEffect(notifier.send(message(here.org_id)), 3)
      yield* atOneMoment(three)
      yield* atOneMoment(three)
      yield* notifier.send(message(there.org_id))
      yield* notifier.send(message(null))
      const list = (window: typeof everything) => store.list(Option.some(here.org_id), window)
      const kept = yield* list(everything)
      expect(kept).toHaveLength(6)
      yield* expectWindows(kept, list, (row) => row.notification_id)
      const elsewhere = operatorPermit("platform", "olga", Option.some(there.org_id))
      const missing = yield* Effect.flip(outbox.show(elsewhere, kept[0]!.notification_id))
      expect(missing).toEqual(yield* Effect.flip(outbox.show(elsewhere, nilUuid)))
    }).pipe(sandbox, quietly)
  )
})
