/** One run: builds a world from a seed, performs its steps, lets operators clear the queue and checks all rules. */
import { Effect, GlobalValue } from "effect"
import type { ProviderName } from "../../src/domain/Corridor.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { LedgerStore } from "../../src/money/ledger/LedgerStore.ts"
import { ledgerTables } from "../../src/money/ledger/LedgerMemory.ts"
import { memoryTable } from "../../src/platform/database/MemoryDatabase.ts"
import type { VirtualAccount, VirtualTransaction } from "../../src/treasury/accounts/VirtualAccountStore.ts"
import { nothingPlanted, type Planted } from "./bugs/Planting.ts"
import { drawFocus, type Focus, noFocus } from "./business/Focus.ts"
import { openItems, resolveQueue } from "./business/Operators.ts"
import { Receivers } from "./business/SimulatedReceivers.ts"
import type { ScenarioContext, Step } from "./business/ScenarioContext.ts"
import { createFixtures } from "./business/SimulationFixtures.ts"
import { stepActions, drawLateSteps, drawSize, drawSteps, type Size } from "./business/ScenarioSteps.ts"
import { escrowTables } from "./business/EscrowSteps.ts"
import { linkTables } from "./business/PaymentLinkSteps.ts"
import { disabledProviderProblem } from "./business/ProviderChanges.ts"
import { accountProblems, accountEventProblems } from "./invariants/VirtualAccountRules.ts"
import { answerProblems } from "./invariants/AnswerRules.ts"
import { booksIn } from "../../src/payments/store/AttemptQueueMemory.ts"
import { feeProblems, suspenseProblems } from "./invariants/ChargeRules.ts"
import { escrowProblems } from "./invariants/EscrowRules.ts"
import { linkProblems } from "./invariants/LinkRules.ts"
import { moneyProblems, queueProblems, receivableProblems } from "./invariants/MoneyRules.ts"
import { progressProblems, rampEndProblems, refusalProblems } from "./invariants/ProgressRules.ts"
import { dossiersOf, type Records } from "./invariants/RecordRules.ts"
import { deliveryProblems, logProblems, eventProblems } from "./invariants/EventRules.ts"
import { conversionGainProblems } from "./invariants/ConversionGains.ts"
import { Orders } from "./providers/ProviderOrders.ts"
import { SimulatedProvider } from "./providers/SimulatedProvider.ts"
import { Chance } from "./world/Chance.ts"
import { auditDeletions, type WriteLog, auditWrites } from "./world/RetentionAudit.ts"
import { SimulationEnvironment } from "./world/SimulationEnvironment.ts"
import { simulationSettings } from "./world/SimulationStores.ts"
import { startTime, VirtualTime } from "./world/VirtualTime.ts"
import { World } from "./world/SimulationWorld.ts"

/** Effect's bookkeeping for long-running programs, switched off because it costs more than a short run. */

/** Skips stack traces of traced functions. */
const withoutStacks = <A>(run: () => A): A => {
  const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!
  Object.defineProperty(Error, "stackTraceLimit", { get: () => 0, set: () => {}, configurable: true })
  try {
    return run()
  } finally {
    Object.defineProperty(Error, "stackTraceLimit", before)
  }
}

/** Root fibers that Effect keeps alive. */
const globalFibers = GlobalValue.globalValue<{ readonly roots: Set<unknown> }>(
  Symbol.for("effect/FiberScope/Global"),
  () => {
    throw new Error("the library keeps its fibers elsewhere")
  }
)

/** Drops the fibers of killed machines, which are never interrupted and would keep their world in memory. */
const withoutRoots = <A>(run: () => A): A => {
  const { roots } = globalFibers
  const before = new Set(roots)
  try {
    return run()
  } finally {
    for (const fiber of roots) if (!before.has(fiber)) roots.delete(fiber)
  }
}

const withoutOverhead = <A>(run: () => A): A => withoutStacks(() => withoutRoots(run))

export const fiat: ReadonlyArray<ProviderName> = ["stripe", "adyen", "paystack"]
export const crypto: ReadonlyArray<ProviderName> = ["circle", "coinbase"]

/** Queue items that are left after this many operator rounds are stuck. */
export const MOST_ROUNDS = 8

const instances = {
  small: { "1": 17, "2": 2.5, "3": 0.5 },
  usual: { "1": 6, "2": 3, "3": 1 },
  large: { "1": 4, "2": 4, "3": 2 }
} as const

/** Minimum and maximum number of organisations. Unauthorized reads need two. */
const organisationsOf = (
  chance: Chance,
  size: Size,
  steps: ReadonlyArray<Step>,
  focus: Focus
): readonly [number, number] => {
  if (focus.organisations !== undefined) return [focus.organisations, focus.organisations]
  if (size !== "small") return [1, 3]
  if (steps.some(({ kind }) => kind === "pry")) return [2, 2]
  return [1, chance.happens(0.25, "neighbours") ? 3 : 1]
}

export interface Options {
  /** Steps by number and faults by name to leave out. */
  readonly withoutSteps?: ReadonlySet<number>
  readonly withoutFaults?: ReadonlySet<string>
  /** Keeps the log lines. */
  readonly keepsLog?: boolean
  readonly planted?: Planted
}

export interface Ran {
  readonly seed: number
  readonly problems: ReadonlyArray<string>
  readonly steps: ReadonlyArray<Step>
  readonly faults: ReadonlyArray<string>
  readonly counts: ReadonlyMap<string, number>
  readonly logLines: ReadonlyArray<string>
}

export const booksTables = {
  ...ledgerTables,
  virtualAccounts: memoryTable<VirtualAccount>("virtualAccounts"),
  virtualTransactions: memoryTable<VirtualTransaction>("virtualTransactions")
}

const recordsOf = (
  { deleted, orders, organisations, world }: ScenarioContext,
  receivers: Receivers,
  { missedEvents }: WriteLog
): Records => {
  const { attempts, events, history, operatorItems, payments, webhookDeliveries } = world.tables
  const { ledgerPostings, virtualAccounts, virtualTransactions } = world.database.open(booksTables)
  return {
    payments: Array.from(payments.values()),
    attempts: Array.from(attempts.values()),
    history: Array.from(history.values()),
    items: Array.from(operatorItems.values()),
    events: Array.from(new Map([...deleted.events, ...events]).values()),
    deliveries: Array.from(new Map([...deleted.deliveries, ...webhookDeliveries]).values()),
    postings: Array.from(ledgerPostings.values()),
    books: (paymentId) => booksIn(world.tables, paymentId),
    virtualAccounts: Array.from(virtualAccounts.values()),
    virtualTransactions: Array.from(virtualTransactions.values()),
    endpoints: organisations.flatMap(({ endpoints, orgId }) =>
      endpoints.map(({ events: asked, url, webhookId }) => ({
        orgId,
        webhookId,
        events: asked,
        taken: receivers.taken.get(url) ?? new Set(),
        missedEvents: missedEvents.get(webhookId) ?? new Set()
      }))
    ),
    holdings: (paymentId) => orders.holdings(paymentId)
  }
}

export const inspect = (
  scenario: ScenarioContext,
  receivers: Receivers,
  watched: WriteLog,
  runIn: <A, E>(effect: Effect.Effect<A, E, LedgerStore>) => A
): void => {
  const records = recordsOf(scenario, receivers, watched)
  const { webhookAttempts, webhookDeliveries, webhooks } = scenario.world.tables
  const feeOf = new Map<string, ScenarioContext["organisations"][number]["fee"]>(
    scenario.organisations.map(({ fee, orgId }) => [orgId, fee])
  )
  const dossiers = dossiersOf(records)
  const { escrows, linkPayments, paymentLinks } = scenario.world.database.open({ ...escrowTables, ...linkTables })
  const problems = [
    ...runIn(Effect.flatMap(LedgerStore, ({ check }) => check)).problems.map(({ message }) => message),
    ...dossiers.flatMap(moneyProblems),
    ...dossiers.flatMap(progressProblems),
    ...dossiers.flatMap(eventProblems),
    ...dossiers.flatMap((dossier) => feeProblems(dossier, feeOf.get(dossier.payment.org_id) ?? null)),
    ...dossiers.flatMap(suspenseProblems),
    ...dossiers.flatMap((dossier) => refusalProblems(dossier, scenario.orders)),
    ...dossiers.flatMap((dossier) =>
      rampEndProblems(dossier, (version) => watched.writtenAt.get(`${dossier.payment.payment_id} ${version}`))
    ),
    ...deliveryProblems(records),
    ...logProblems(webhookDeliveries, webhookAttempts.values(), ({ event_id, webhook_id }, attempt) => {
      const url = webhooks.get(webhook_id)?.endpoint_url ?? ""
      return receivers.answers.get(Receivers.nameOf(url, event_id, attempt)) ?? []
    }),
    ...answerProblems(scenario),
    ...accountProblems(records),
    ...accountEventProblems(records),
    ...conversionGainProblems(records, watched.valued),
    ...escrowProblems(records, escrows.values(), scenario.escrows),
    ...linkProblems(records, paymentLinks.values(), linkPayments.values()),
    ...queueProblems(dossiers, openItems(scenario)),
    ...receivableProblems(records)
  ]
  for (const problem of problems) scenario.env.problem(problem)
}

const summarize = ({ env, world }: ScenarioContext): void => {
  for (const { direction, failure, status } of world.tables.payments.values()) {
    env.count(`${direction}: ${status}`)
    if (failure?.code === "EXPIRED") env.count(`${direction}: expired`)
  }
  for (const { kind } of world.tables.operatorItems.values()) env.count(`item: ${kind}`)
  for (const { event_type } of world.tables.events.values()) env.count(`event: ${event_type}`)
  for (const { status } of world.tables.webhookDeliveries.values()) env.count(`delivery: ${status}`)
  for (const { status } of world.tables.webhooks.values()) env.count(`webhooks: ${status}`)
  for (const { account, leg, outcome } of world.tables.attempts.values()) {
    env.count(`attempt: ${leg} ${outcome ?? "unanswered"}`)
    if (account !== null) env.count("attempt: through an own account")
  }
  const { escrows, ledgerPostings, linkPayments, paymentLinks } = world.database.open({
    ...escrowTables,
    ...linkTables,
    ...ledgerTables
  })
  for (const { account, amount, kind } of ledgerPostings.values()) {
    if (account.startsWith("receivable/") && amount.isNegative) env.count("receivable: owed")
    if (kind === "receivable_payment" && amount.isPositive) env.count("receivable: paid")
  }
  for (const { is_total, source } of world.tables.movements.values())
    env.count(`movement: ${is_total ? "total" : source === "operator" ? "stated" : "named"}`)
  for (const { milestones, status } of escrows.values()) {
    env.count(`escrow: ${status}`)
    for (const one of milestones) env.count(`escrow: part ${one.status}`)
  }
  for (const { amount_type, payment_id } of paymentLinks.values())
    env.count(`link: ${amount_type}, ${payment_id === null ? "not used" : "used"}`)
  for (const { payment_id } of linkPayments.values())
    env.count(`link: payment ${world.tables.payments.get(payment_id)?.status}`)
}

const runSeed = (seed: number, options: Options): Ran => {
  const chance = new Chance(seed)
  const time = new VirtualTime()
  const env = new SimulationEnvironment(time, chance, options.withoutFaults ?? new Set())
  if (options.keepsLog === true) env.logLines = []
  const size = drawSize(chance)
  const [focusName, focus] = size === "small" ? drawFocus(chance) : (["none", noFocus] as const)
  env.focus = focus
  env.count(`focus: ${focusName}`)
  const drawn = drawSteps(chance, size, focus)
  const orders = new Orders(env)
  const receivers = new Receivers(env)
  const accounts = new Map(
    [...fiat, ...crypto].map((name) => [name as string, new SimulatedProvider(name, env, orders)])
  )
  const providers = new Map(Array.from(accounts, ([place, account]) => [place, account.port]))
  const world = new World(env, {
    providers,
    webhookClient: () => receivers.client,
    instances: focus.instances ?? Number(chance.weighed(instances[size], "instances")),
    meanSteps: Number(chance.weighed({ "8": 1, "40": 2, "300": 3, "3000": 4 }, "calm")),
    planted: options.planted ?? nothingPlanted,
    databaseFails: chance.happens(0.15, "the database fails")
  })
  const runIn = <A, E>(effect: Effect.Effect<A, E, LedgerStore>): A =>
    Effect.runSync(Effect.provide(effect, world.stores))
  const organisations = Effect.runSync(
    createFixtures(chance, fiat, crypto, organisationsOf(chance, size, drawn, focus), focus).pipe(
      Effect.provideService(Ids, world.ids),
      Effect.provide(world.stores),
      Effect.provide(simulationSettings),
      Effect.withClock(world.testMachine.clock)
    )
  )
  for (const { ownAccount } of organisations) {
    if (ownAccount === null) continue
    const own = new SimulatedProvider("stripe", env, orders, ownAccount)
    accounts.set(own.place, own)
    providers.set(own.place, own.port)
  }
  for (const { endpoints } of organisations) for (const { secret, url } of endpoints) receivers.know(url, secret)
  const scenario: ScenarioContext = {
    world,
    env,
    orders,
    organisations,
    keyed: new Map(),
    escrows: new Map(),
    off: new Map(),
    replaceAccount: (place) => {
      const account = accounts.get(place)
      account?.replaceAccount()
      if (account !== undefined) providers.set(place, account.port)
    },
    providerAt: (place) => accounts.get(place),
    deleted: auditDeletions(world),
    isDisturbed: false
  }
  const watched = auditWrites(world, orders)
  orders.objection = (ask) => disabledProviderProblem(scenario, ask)
  orders.sentAt = (reference) => world.tables.attempts.get(reference)?.sent_at
  const isWanted = ({ number }: Step) => options.withoutSteps?.has(number) !== true
  const steps = drawn.filter(isWanted)
  const afterwards = drawLateSteps(chance, drawn.length, focus).filter(isWanted)
  for (const step of steps) {
    time.at(startTime + step.at, () => {
      env.count(`step: ${step.kind}`)
      world.act(stepActions[step.kind]!(scenario, step))
    })
  }
  const clearUp = () => {
    world.runUntilIdle()
    inspect(scenario, receivers, watched, runIn)
    env.locks.clear()
    for (let round = 1; round <= MOST_ROUNDS && openItems(scenario).length > 0 && env.problems.length === 0; round++) {
      world.act(resolveQueue(scenario, round))
      world.runUntilIdle()
      inspect(scenario, receivers, watched, runIn)
    }
  }
  clearUp()
  if (focus.afterwards !== undefined || env.afterwards.length > 0) {
    for (const happen of env.afterwards.splice(0)) happen()
    for (const step of afterwards) {
      env.count(`step: ${step.kind}`)
      world.act(stepActions[step.kind]!(scenario, step))
    }
    clearUp()
  }
  if (env.problems.length === 0) {
    for (const { detail, kind } of openItems(scenario))
      env.problem(`no decision closes an item of kind ${kind}: ${detail}`)
  }
  env.count(`size: ${size}, ${scenario.organisations.length} organisations`)
  summarize(scenario)
  return {
    seed,
    problems: env.problems,
    steps: [...steps, ...afterwards],
    faults: env.faults,
    counts: env.counts,
    logLines: env.logLines ?? []
  }
}

export const run = (seed: number, options: Options = {}): Ran => withoutOverhead(() => runSeed(seed, options))
