/** Payins that waited for their customer before there were ends: those that nobody asks about any more get theirs too. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import migration from "../../../migrations/0043_payin_expiry.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { draftPayment, newOwner, newPayment } from "../../payments/support/NewPayment.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { testSettings } from "../../support/TestSettings.ts"

const services = openStoresOn("PostgreSQL").pipe(Layer.provideMerge(Ids.layer), Layer.provideMerge(testSettings()))

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("payins from before", (it) => {
  it.effect("are asked about once more, and cards that are awaited have an end", () =>
    Effect.gen(function* () {
      const sql = Option.getOrThrow(yield* Effect.serviceOption(SqlClient.SqlClient))
      const store = yield* PaymentStore
      const owner = yield* newOwner
      const { attempt, payment } = yield* newPayment(owner, { status: "pending", next_action: "redirect" })
      const ended = yield* newPayment(owner, { status: "completed" })
      const unknown = yield* newPayment(owner, { status: "pending" })
      const ids = [attempt, ended.attempt, unknown.attempt].map(({ attempt_id }) => attempt_id)
      yield* sql`update attempts set next_enquiry_at = null, outcome = 'accepted' where attempt_id in ${sql.in(ids)}`
      yield* sql`update attempts set outcome = 'unknown' where attempt_id = ${unknown.attempt.attempt_id}`
      const card = yield* draftPayment(owner, { status: "pending", next_action: "redirect", payment_method: "card" })
      yield* store.create({ payment: card, attempt: null })
      yield* sql`drop table card_waits`
      if (migration.kind !== "transaction") throw new Error("expected one transaction")
      yield* Effect.provideService(migration.change, SqlClient.SqlClient, sql)
      const askedAbout = (of: string) =>
        Effect.map(
          sql<{ next_enquiry_at: Date | null }>`select next_enquiry_at from attempts where attempt_id = ${of}`,
          ([row]) => row!.next_enquiry_at !== null
        )
      expect(yield* Effect.forEach(ids, askedAbout)).toEqual([true, false, false])
      const waits = yield* sql<{ payment_id: string }>`select payment_id from card_waits where org_id = ${owner.org_id}`
      expect(waits.map(({ payment_id }) => payment_id)).toContain(card.payment_id)
      const found = Option.getOrThrow(yield* store.find(Option.none(), card.payment_id))
      expect(found.expires_at).not.toBeNull()
      expect(payment.expires_at).toBeNull()
    })
  )
})
