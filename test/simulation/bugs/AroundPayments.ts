/** Bugs in escrow, links, provider configurations, own accounts, customer returns and retention. */
import { type Clock, Duration, Effect, Option } from "effect"
import { Report } from "../../../src/domain/Outcome.ts"
import type { Entry } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import { LinkStore } from "../../../src/hosted/links/LinkStore.ts"
import { ProviderConfigStore } from "../../../src/providers/configs/ProviderConfigStore.ts"
import { Providers } from "../../../src/providers/port/Provider.ts"
import { RecordMovement } from "../../../src/treasury/accounts/RecordMovement.ts"
import type { Escrow } from "../../../src/treasury/escrow/Escrow.ts"
import { EscrowStore } from "../../../src/treasury/escrow/EscrowStore.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { type Bug, type Planted, planted, changingProvider } from "./Planting.ts"

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

export const aroundPayments: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a milestone is released again",
    about: "what was released already is not looked at, and the books have no name for it",
    planted: new Map([
      ...planted(EscrowStore, (store: (typeof EscrowStore)["Service"]) => ({
        ...store,
        lock: (...given: Parameters<typeof store.lock>) => Effect.map(store.lock(...given), Option.map(asIfNew))
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
    name: "a release is not booked",
    about: "a milestone counts as released, and its money stays where it was",
    planted: changingEntries((entries) => entries.filter(({ kind }) => kind !== "escrow_disburse"))
  },
  {
    name: "a movement on an account tells nobody",
    about: "what moves on a virtual account is booked and on its statement, and no event tells of it",
    planted: planted(EventPublisher, (events: (typeof EventPublisher)["Service"]) => ({
      ...events,
      publishEvent: (event: Parameters<typeof events.publishEvent>[0]) =>
        event.event_type.startsWith("virtual_account.") ? Effect.void : events.publishEvent(event)
    }))
  },
  {
    name: "an escrow that is called off keeps its record",
    about: "what went back is still counted",
    planted: planted(EscrowStore, (store: (typeof EscrowStore)["Service"]) => ({
      ...store,
      update: (escrow: Escrow) =>
        store.update(escrow.status === "canceled" ? { ...escrow, funded: escrow.total } : escrow)
    }))
  },
  {
    name: "a link is paid twice",
    about: "a link does not remember its payment, and whoever comes second takes it from whoever was first",
    planted: planted(LinkStore, (store: (typeof LinkStore)["Service"]) => ({
      ...store,
      findByRef: (ref: string) =>
        Effect.map(
          store.findByRef(ref),
          Option.map((link) => ({ ...link, payment_id: null, submission: null }))
        ),
      claim: (claim: Parameters<typeof store.claim>[0]) =>
        Effect.flatMap(store.find(Option.none(), claim.link_id), (found) =>
          store.claim({ ...claim, replacing: Option.isSome(found) ? found.value.payment_id : null })
        )
    }))
  },
  {
    name: "switched off is not off",
    about: "whether a configuration is active is not looked at",
    planted: planted(ProviderConfigStore, (store: (typeof ProviderConfigStore)["Service"]) => ({
      ...store,
      forCorridor: (...given: Parameters<typeof store.forCorridor>) =>
        Effect.map(store.forCorridor(...given), (all) => all.map((one) => ({ ...one, is_active: true })))
    }))
  },
  {
    name: "deliveries are forgotten too soon",
    about: "retention takes deliveries that are not old",
    planted: planted(DeliveryStore, (store: (typeof DeliveryStore)["Service"]) => ({
      ...store,
      forgetOld: later(store.forgetOld)
    }))
  },
  {
    name: "every account is the platform's",
    about: "what goes through an organisation's own account is sent through the platform's",
    planted: planted(Providers, (providers: (typeof Providers)["Service"]) => ({
      find: (name: Parameters<typeof providers.find>[0]) => providers.find(name, null)
    }))
  },
  {
    name: "customers who come back are believed",
    about: "whoever returns from a provider's page has paid",
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
