/** Operators who resolve queue items: they look up what happened at the provider and state it. */
import { Effect, Option } from "effect"
import { operatorPermit } from "../../../src/domain/Access.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import { type AtProvider, LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { type UnallocatedSum, unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import type { OpenItem } from "../../../src/payments/store/Payment.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { booksIn } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { manualMovementId, recordReturn, type Order } from "../providers/ProviderState.ts"
import { ownerOf, paymentOf, type ScenarioContext, callApi } from "./ScenarioContext.ts"

const operator = operatorPermit("platform", "amina")

/** Whether the ordered amount arrived in full and in the ordered currency. */
const isPaidInFull = (order: Order | undefined, there: bigint): boolean =>
  order !== undefined && order.state === "done" && there >= order.money.minor

/** Amount that arrived, less returns that the service has not recorded. */
const amountAtProvider = ({ world }: ScenarioContext, order: Order | undefined): bigint => {
  if (order === undefined) return 0n
  const { currency } = order.money
  const isRecorded = Array.from(world.tables.movements.values()).some(
    ({ attempt_id }) => attempt_id === order.reference
  )
  return (order.moved.get(currency) ?? 0n) - (isRecorded ? 0n : (order.back.get(currency) ?? 0n))
}

export const openItems = ({ world }: ScenarioContext): ReadonlyArray<OpenItem> =>
  Effect.runSync(
    Effect.flatMap(PaymentStore, ({ openItems: read }) =>
      read(Option.none(), { after: Option.none(), take: Number.MAX_SAFE_INTEGER })
    ).pipe(Effect.provide(world.stores))
  )

/** Ends an order that is still open at the provider, before the operator decides. */
const endAtProvider = (order: Order | undefined): void => {
  if (order === undefined) return
  if (order.state === "under way" || order.state === "waiting") {
    order.state = "failed"
    order.denied = true
  }
}

/** Splits a ledger account of a provider into account key and currency. */
const parseProviderAccount = (account: string): [string, Money["currency"]] => {
  const end = account.lastIndexOf("/")
  return [account.slice("provider/".length, end), account.slice(end + 1) as Money["currency"]]
}

/** Returns a surplus that was never reported, because the service cannot record it. */
const returnSurplus = (scenario: ScenarioContext, paymentId: PaymentId, order: Order): void => {
  const books = ledgerHoldings(scenario, paymentId)
  const there = scenario.orders.placeOf(order.reference)
  for (const [account, minor] of scenario.orders.holdings(paymentId, true)) {
    const [place, currency] = parseProviderAccount(account)
    const surplus = minor - (books.get(account) ?? 0n)
    if (place === there && order.way === "in" && surplus > 0n)
      recordReturn(order, new Money({ currency, minor: surplus }))
  }
}

/** Waits a minute if the message says so. */
const followMessage =
  ({ env }: ScenarioContext) =>
  ({ message }: { readonly message: string }): Effect.Effect<void> =>
    Effect.suspend(() => {
      env.log(`the operator is told: ${message}`)
      return message.endsWith("again in a minute.") ? Effect.sleep("1 minute") : Effect.void
    })

const resolveUnknown = (scenario: ScenarioContext, item: OpenItem) =>
  Effect.gen(function* () {
    const attemptId = item.attempt_id ?? ""
    const order = scenario.orders.find(attemptId)
    endAtProvider(order)
    const there = amountAtProvider(scenario, order)
    if (!isPaidInFull(order, there)) scenario.orders.deny(attemptId)
    const outcome = isPaidInFull(order, there) ? "completed" : "failed"
    scenario.env.log(`the operator finds that ${attemptId} has ${outcome}`)
    yield* scenario.world.runAsOperator(
      Effect.flatMap(Resolution, ({ resolve }) =>
        resolve(operator, item.payment_id, { outcome, reason: "seen there", item: item.item_id })
      ).pipe(Effect.catchAll(followMessage(scenario)))
    )
    const isOdd = order !== undefined && there !== order.money.minor
    if (isOdd && order.state === "done") returnSurplus(scenario, item.payment_id, order)
  })

export const rejectReview = (scenario: ScenarioContext, item: OpenItem) =>
  Effect.suspend(() => {
    const payment = paymentOf(scenario, item.payment_id)
    if (payment === undefined) return Effect.void
    return Effect.asVoid(
      callApi(scenario, ownerOf(scenario, payment).colleague, {
        path: `/v1/payments-init/${item.payment_id}/action`,
        body: { action: "reject" }
      })
    )
  })

type AtProviders = ReadonlyArray<AtProvider>

const minorByAccount = (all: AtProviders): ReadonlyMap<string, bigint> =>
  new Map(
    all.map(({ account, money, provider }) => [
      `provider/${account === null ? provider : `${provider}/${account}`}/${money.currency}`,
      money.minor
    ])
  )

/** Accounts where the ledger and the provider differ, by how much. */
const ledgerDifferences = (
  scenario: ScenarioContext,
  paymentId: PaymentId,
  books: ReadonlyMap<string, bigint>
): ReadonlyArray<[place: string, minor: bigint]> => {
  const actual = scenario.orders.holdings(paymentId, true)
  return Array.from(new Set([...actual.keys(), ...books.keys()]), (place): [string, bigint] => [
    place,
    (books.get(place) ?? 0n) - (actual.get(place) ?? 0n)
  ]).filter(([, minor]) => minor !== 0n)
}

/** Suspense item whose amount is exactly the difference. */
const itemOfDifference = (
  scenario: ScenarioContext,
  paymentId: PaymentId,
  errors: ReadonlyArray<[place: string, minor: bigint]>
): OpenItem | undefined => {
  const [error, ...more] = errors
  if (error === undefined || more.length > 0) return undefined
  const [, currency] = parseProviderAccount(error[0])
  const about = suspenseOf(scenario, paymentId).filter(
    ({ money }) => money.currency === currency && money.minor === error[1]
  )
  return openItems(scenario).find(
    ({ attempt_id, kind, payment_id }) =>
      payment_id === paymentId && kind === "suspense" && about.some((one) => one.attempt_id === attempt_id)
  )
}

/**
 * Moves money at the provider by as much as the operator's statement changed the ledger, unless the ledger was wrong
 * before.
 */
const moveAtProvider = (
  scenario: ScenarioContext,
  paymentId: PaymentId,
  before: ReadonlyMap<string, bigint>,
  after: ReadonlyMap<string, bigint>,
  id: string | undefined
) => {
  const actual = scenario.orders.holdings(paymentId, true)
  for (const account of new Set([...before.keys(), ...after.keys()])) {
    const change = (after.get(account) ?? 0n) - (before.get(account) ?? 0n)
    if (change === 0n || (actual.get(account) ?? 0n) !== (before.get(account) ?? 0n)) continue
    const [place, currency] = parseProviderAccount(account)
    const order = scenario.orders.at(paymentId, place)
    if (order === undefined) {
      scenario.env.problem(`an operator moved ${change} ${currency} at ${place}, which never had any of it`)
    } else {
      recordReturn(order, new Money({ currency, minor: order.way === "in" ? -change : change }))
      reportLater(scenario, place, order, new Money({ currency, minor: change }), id)
    }
  }
}

/** Some providers later report, with an id of their own, what the operator stated. */
const reportLater = (
  { env, providerAt }: ScenarioContext,
  place: string,
  order: Order,
  change: Money,
  id: string | undefined
): void => {
  const provider = providerAt(place)
  const purpose = `${order.leg} by hand ${order.movements.length}`
  if (order.way === "out" || order.state !== "done" || provider?.can.signs !== true) return
  if (!env.chance.happens(0.5, `${purpose} is told`)) return
  env.count("operator: stated before it was told")
  provider.reportManualMovement(order, change, purpose, id)
}

/** Provider balances in the ledger, read again because the command may have died before it answered. */
const ledgerHoldings = ({ world }: ScenarioContext, paymentId: PaymentId): ReadonlyMap<string, bigint> =>
  minorByAccount(
    Effect.runSync(
      Effect.flatMap(LedgerStore, ({ atProviders }) => atProviders(paymentId)).pipe(Effect.provide(world.stores))
    )
  )

const suspenseOf = ({ world }: ScenarioContext, paymentId: PaymentId): ReadonlyArray<UnallocatedSum> => {
  const payment = world.tables.payments.get(paymentId)
  return payment === undefined ? [] : unallocatedSums(payment, booksIn(world.tables, paymentId))
}

const isUncertain = ({ world }: ScenarioContext, paymentId: PaymentId): boolean =>
  Array.from(world.tables.attempts.values()).some(
    ({ next_enquiry_at, outcome, payment_id }) =>
      payment_id === paymentId && (outcome === null || outcome === "unknown" || next_enquiry_at !== null)
  )

/** Refunds in the provider's dashboard without a statement: the provider reports it. */
const refundInDashboard = ({ orders, providerAt }: ScenarioContext, sum: UnallocatedSum, isTried: boolean): boolean => {
  const order = orders.find(sum.attempt_id)
  const place = orders.placeOf(sum.attempt_id)
  const provider = place === undefined ? undefined : providerAt(place)
  if (order === undefined || provider === undefined || order.way === "out" || !orders.canRefund(order, sum.money))
    return false
  if (!isTried) return true
  recordReturn(order, sum.money)
  provider.reportManualMovement(order, sum.money.negate(), `${order.leg} in the dashboard ${order.movements.length}`)
  return true
}

type SuspenseChoice = "kept" | "by hand" | "refunded" | "in the dashboard" | "stopped"

/**
 * Weights of the possible decisions on a sum. Some operators cannot move money by hand: they decide who bears it,
 * stop an unsent leg or refund in the dashboard.
 */
const choiceWeights = (
  scenario: ScenarioContext,
  paymentId: PaymentId,
  sum: UnallocatedSum | undefined,
  round: number
): Record<SuspenseChoice, number> => {
  const isLate = round > VARIED_ROUNDS
  const isGone = sum?.money.isNegative === true
  const isHandless = scenario.env.chance.happens(0.4, "operators move nothing by hand")
  const hasDashboard = sum?.money.isPositive === true && refundInDashboard(scenario, sum, false)
  const isUnclear = isAmbiguous(scenario, scenario.orders.find(sum?.attempt_id ?? ""))
  const handless = isUnclear || (isHandless && (isGone || hasDashboard || !isLate))
  return {
    kept: isLate && !(handless && isGone) && !isUnclear ? 0 : 3,
    "by hand": handless ? 0 : 3,
    refunded: isLate || (handless && isGone) ? 0 : 2,
    "in the dashboard": handless && hasDashboard ? 2 : 0,
    stopped: isGone && !isLate && hasUnsentLeg(scenario, paymentId) ? 3 : 0
  }
}

const hasUnsentLeg = ({ world }: ScenarioContext, paymentId: PaymentId): boolean =>
  world.tables.payments.get(paymentId)?.status === "processing" &&
  Array.from(world.tables.attempts.values()).some(
    ({ leg, outcome, payment_id, sends }) =>
      payment_id === paymentId && leg === "settlement" && sends === 0 && outcome === null
  )

/** Rounds after which only certain decisions are drawn. */
const VARIED_ROUNDS = 4

const isDisputed = ({ movements }: Order): boolean => movements.some(({ kind }) => kind === "reversal")

const namesMovements = ({ orders, providerAt }: ScenarioContext, { reference }: Order): boolean =>
  providerAt(orders.placeOf(reference) ?? "")?.can.tells !== "totals"

/** Whether a manual movement is indistinguishable from reinstated money of a dispute. */
const isAmbiguous = (scenario: ScenarioContext, order: Order | undefined): boolean =>
  order !== undefined && isDisputed(order) && !namesMovements(scenario, order)

/** Movement id that the operator sees in the dashboard. */
const statedMovementId = (scenario: ScenarioContext, order: Order, purpose: string): string | undefined => {
  const isStated = isDisputed(order) || scenario.env.chance.happens(0.5, `${purpose} names the transfer`)
  return isStated && namesMovements(scenario, order) ? manualMovementId(order) : undefined
}

/** Keeps the money, returns it by hand or refunds it through the service. */
const resolveSuspense = (
  scenario: ScenarioContext,
  { item_id, payment_id }: OpenItem,
  round: number,
  purpose: string
) =>
  Effect.gen(function* () {
    // Waits until the provider's pending reports have arrived.
    if (scenario.orders.hasPendingReport(payment_id)) return
    const before = ledgerHoldings(scenario, payment_id)
    const sum = suspenseOf(scenario, payment_id).find((one) => one.item_id === item_id)
    const errors = ledgerDifferences(scenario, payment_id, before)
    const wrong = itemOfDifference(scenario, payment_id, errors)
    // Waits until the item of the difference is resolved.
    if (wrong !== undefined && wrong.item_id !== item_id) return
    const way =
      errors.length > 0
        ? "nothing there"
        : scenario.env.chance.weighed(choiceWeights(scenario, payment_id, sum, round), purpose)
    // Waits while an outcome is unknown.
    if (way === "nothing there" && isUncertain(scenario, payment_id)) return
    scenario.env.log(`the operator settles suspense of ${payment_id}: ${way}`)
    scenario.env.count(`operator: ${way}`)
    if (way === "in the dashboard") return void refundInDashboard(scenario, sum!, true)
    const order = scenario.orders.find(sum?.attempt_id ?? "")
    const movementId = way === "by hand" && order !== undefined ? statedMovementId(scenario, order, purpose) : undefined
    const outcome = way === "kept" ? ("completed" as const) : ("failed" as const)
    yield* scenario.world.runAsOperator(
      Effect.flatMap(Resolution, ({ giveBack, resolve }) =>
        way === "refunded"
          ? giveBack(operator, payment_id, { reason: "paid twice", item: item_id })
          : resolve(operator, payment_id, {
              outcome,
              reason: "agreed",
              item: way === "stopped" ? undefined : item_id,
              movementId
            })
      ).pipe(Effect.catchAll(followMessage(scenario)))
    )
    if (way !== "refunded")
      moveAtProvider(scenario, payment_id, before, ledgerHoldings(scenario, payment_id), movementId)
  })

/** Goes once through all open items. */
export const resolveQueue = (scenario: ScenarioContext, round: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    // Makes the worker of ramp payouts check again: reversed ramps must stay unsent.
    scenario.world.want("settlements")
    const urgent = (item: OpenItem) => (item.kind === "unknown_outcome" ? 0 : 1)
    for (const item of openItems(scenario).toSorted((a, b) => urgent(a) - urgent(b))) {
      if (!openItems(scenario).some(({ item_id }) => item_id === item.item_id)) continue
      switch (item.kind) {
        case "unknown_outcome":
          yield* resolveUnknown(scenario, item)
          break
        case "suspense":
          yield* resolveSuspense(scenario, item, round, `round ${round} ${item.detail}`)
          break
        case "review":
          yield* rejectReview(scenario, item)
      }
      yield* Effect.sleep(1000)
    }
  })
