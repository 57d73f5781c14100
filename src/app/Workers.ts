/** What an instance does besides answering requests. */
import { Effect } from "effect"
import { dayClosingPause, strayPause } from "../domain/policies/Payments.ts"
import { LedgerStore } from "../money/ledger/LedgerStore.ts"
import { AnalyticsStore } from "../payments/analytics/Analytics.ts"
import { CardWaits } from "../payments/review/CardWaits.ts"
import { Workers } from "../platform/fibers/Workers.ts"
import { Callbacks } from "../payments/callbacks/Callbacks.ts"
import { StatusPoller } from "../payments/callbacks/StatusPoller.ts"
import { RampPayoutWorker } from "../payments/dispatch/RampPayoutWorker.ts"
import { RateLimits } from "../platform/http/RateLimits.ts"
import { trouble } from "../platform/observability/Trouble.ts"
import { ProviderAccounts } from "../providers/accounts/ProviderAccounts.ts"
import { Providers } from "../providers/port/Provider.ts"
import { DeliveryFailed, simulatorWorker } from "../providers/sandbox/SimulatorWorker.ts"
import { EscrowPayoutWorker } from "../treasury/escrow/EscrowPayoutWorker.ts"
import { deliveryWorker } from "../webhooks/delivery/DeliveryWorker.ts"
import { figures } from "./figures/Figures.ts"
import { months, retention } from "./Retention.ts"

const enquiries = Effect.flatMap(StatusPoller, ({ worker }) => worker)

const cardWaits = Effect.flatMap(CardWaits, ({ worker }) => worker)

const earlyCallbacks = Effect.flatMap(Callbacks, ({ applyMatched }) =>
  Effect.forever(Effect.zipRight(applyMatched, Effect.sleep(strayPause)))
)

const closedDays = Effect.flatMap(Effect.all([AnalyticsStore, LedgerStore]), ([counts, books]) =>
  Effect.forever(Effect.all([counts.closeDays, books.closeDays, Effect.sleep(dayClosingPause)], { discard: true }))
)

/** The rails' callbacks take the way of every callback, without the detour over the network. */
const rails = Effect.gen(function* () {
  const callbacks = yield* Callbacks
  const providers = yield* Providers
  const home = { method: "POST", query: {}, authority: "" }
  return yield* simulatorWorker(
    Effect.fnUntraced(function* (name, signed) {
      const rail = yield* providers.find(name, null)
      if (rail === undefined) return yield* new DeliveryFailed({ message: `${name} is switched off` })
      yield* Effect.mapError(
        callbacks.receive(rail, { ...home, path: `/callbacks/${name}`, ...signed }),
        ({ message }) => new DeliveryFailed({ message })
      )
    })
  )
})

const escrowPayouts = Effect.flatMap(EscrowPayoutWorker, ({ worker }) => worker)

const settlements = Effect.flatMap(RampPayoutWorker, ({ worker }) => worker)

const rateLimits = Effect.flatMap(RateLimits, ({ worker }) => worker)

/** The settings may have come to name an account that a configuration has brought since long. */
export const tellOfSharedAccounts = Effect.gen(function* () {
  const shared = yield* Effect.flatMap(ProviderAccounts, (accounts) => accounts.shared)
  yield* Effect.forEach(shared, (config_id) =>
    trouble(
      "account_shared",
      "The account of a configuration is the platform's own, by the settings: nothing new is sent through the configuration until credentials of another account are set.",
      { config_id }
    )
  )
})

export const startWorkers = Effect.flatMap(Workers, ({ start }) =>
  Effect.all(
    [
      tellOfSharedAccounts,
      start("card waits", cardWaits),
      start("closed days", closedDays),
      start("enquiries", enquiries),
      start("escrow payouts", escrowPayouts),
      start("figures", figures),
      start("months", months),
      start("rails", rails),
      start("rate limits", rateLimits),
      start("retention", retention),
      start("settlements", settlements),
      start("early callbacks", earlyCallbacks),
      start("webhooks", deliveryWorker)
    ],
    { discard: true }
  )
)
