/** Bugs in escrow, links, provider configurations, own accounts, customer returns and retention. */
import { type Clock, Duration, Effect, Option } from "effect"
import { Report } from "../../../src/domain/Outcome.ts"
import type { Entry } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LinkStore } from "../../../src/hosted/links/LinkStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { RecordMovement } from "../../../src/treasury/accounts/RecordMovement.ts"
import { type Escrow, EscrowStore } from "../../../src/treasury/escrow/EscrowStore.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { type Bug, type Planted, overriding, planted, changingProvider } from "./Planting.ts"

const asIfNew = (escrow: Escrow): Escrow => ({
  ...escrow,
  status: "active",
  disbursed: Money.zero(escrow.currency),
  milestones: escrow.milestones.map((one) => (one.status === "disbursed" ? { ...one, status: "pending" } : one))
})

const changingEntries = (change: (entries: ReadonlyArray<Entry>) => ReadonlyArray<Entry>): Planted =>
  planted(
    RecordMovement,
    (record: (typeof RecordMovement)["Service"]) =>
      (...[entries, ...others]: Parameters<typeof record>) =>
        record(change(entries), ...others)
  )

let made = 0

const anotherId = (): string => {
  made += 1
  return `00000000-0000-7000-8000-${made.toString(16).padStart(12, "0")}`
}

/** Runs an effect on a clock that is 100 days ahead. */
const later = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => {
    const now = () => clock.unsafeCurrentTimeMillis() + Duration.toMillis(Duration.days(100))
    const shifted: Clock.Clock = { ...clock, unsafeCurrentTimeMillis: now, currentTimeMillis: Effect.sync(now) }
    return Effect.withClock(effect, shifted)
  })

export const aroundPayments: ReadonlyArray<Bug> = [
  {
    name: "a milestone is disbursed twice",
    foundBy: 65,
    planted: new Map([
      ...overriding(EscrowStore, (store) => ({
        lock: (...given) => Effect.map(store.lock(...given), Option.map(asIfNew))
      })),
      ...changingEntries((entries) =>
        entries.map((entry) => ({
          ...entry,
          entry_id: entry.kind === "escrow_disburse" ? anotherId() : entry.entry_id
        }))
      )
    ])
  },
  {
    name: "a disbursed milestone is not posted",
    foundBy: 65,
    planted: changingEntries((entries) => entries.filter(({ kind }) => kind !== "escrow_disburse"))
  },
  {
    name: "virtual accounts have no events",
    foundBy: 3,
    planted: overriding(EventPublisher, (events) => ({
      publishEvent: (event) =>
        event.event_type.startsWith("virtual_account.") ? Effect.void : events.publishEvent(event)
    }))
  },
  {
    name: "a cancelled escrow keeps its funded amount",
    foundBy: 4,
    planted: overriding(EscrowStore, (store) => ({
      update: (escrow: Escrow) =>
        store.update(escrow.status === "canceled" ? { ...escrow, funded: escrow.total } : escrow)
    }))
  },
  {
    name: "a fixed link can be paid twice",
    foundBy: 68,
    planted: overriding(LinkStore, (store) => ({
      findByRef: (ref: string) =>
        Effect.map(
          store.findByRef(ref),
          Option.map((link) => ({ ...link, payment_id: null, submission: null }))
        ),
      claim: (claim) =>
        Effect.flatMap(store.find(Option.none(), claim.link_id), (found) =>
          store.claim({ ...claim, replacing: Option.isSome(found) ? found.value.payment_id : null })
        )
    }))
  },
  {
    name: "disabled configurations are used",
    foundBy: 253,
    planted: overriding(ProviderConfigStore, (store) => ({
      forCorridor: (...given) =>
        Effect.map(store.forCorridor(...given), (all) => all.map((one) => ({ ...one, is_active: true })))
    }))
  },
  {
    name: "deliveries are deleted too early",
    foundBy: 217,
    planted: overriding(DeliveryStore, (store) => ({
      forgetOld: later(store.forgetOld)
    }))
  },
  {
    name: "own provider accounts are ignored",
    foundBy: 16,
    planted: overriding(Providers, (providers) => ({
      find: (name) => providers.find(name, null)
    }))
  },
  {
    name: "a returning customer counts as paid",
    foundBy: 1,
    planted: changingProvider((provider) => ({
      ...provider,
      resume: () =>
        Effect.succeed(
          new Report({
            state: "completed",
            reason: null,
            providerPaymentId: null,
            providerStatus: "returned",
            movements: [{ kind: "collection", id: "came back", amount: null, state: "settled" }]
          })
        )
    }))
  }
]
