/** A simulated provider behind the port: takes orders, loses answers, calls back, and knows what it did. */
import { Duration, Effect, Either } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { ConfigId } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Movement } from "../../../src/domain/Movement.ts"
import { credentialsRetireAfter } from "../../../src/domain/policies/ProviderPolicies.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../../src/domain/Outcome.ts"
import { withMovements } from "../../../src/providers/client/ProviderReplies.ts"
import type {
  AttemptContext,
  OneTimePasswords,
  PaymentOrder,
  Promised,
  Provider,
  RefundOrder
} from "../../../src/providers/port/Provider.ts"
import { machineOf, suspendWhileWaiting } from "../world/Machine.ts"
import type { SimulationEnvironment } from "../world/SimulationEnvironment.ts"
import { type Capabilities, drawCapabilities } from "./Capabilities.ts"
import { callbackReader, payloadMovements, type CallbackPayload } from "./CallbackBody.ts"
import { planDisputes } from "./Disputes.ts"
import type { Orders } from "./ProviderOrders.ts"
import {
  callbackDeliveries,
  type DrawnOutcome,
  payinOutcomes,
  payoutOutcomes,
  drawDelay,
  type Transmission,
  transmissions
} from "./DrawnOutcome.ts"
import {
  manualMovementId,
  isKept,
  remainingOf,
  recordTransfer,
  recordReturn,
  type Order,
  addMovement,
  totalsOf
} from "./ProviderState.ts"

export const rightPassword = "123456"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Texts that PostgreSQL refuses or that are too long. */
const refusedTexts = ["\u0000", "\ud800", "x".repeat(700)]

const zeroWeights = <A extends string>(weights: Readonly<Record<A, number>>): Record<A, number> =>
  Object.fromEntries(Object.keys(weights).map((name) => [name, 0])) as Record<A, number>

type CustomerTask = "collect_otp" | "redirect" | "bank_transfer" | "pay_by_link"

interface StoredOrder extends Order {
  readonly outcome: DrawnOutcome
  readonly waitsFor: CustomerTask | null
  /** Makes callback keys unique. */
  callbacksSent: number
  wrongPasswords: number
  /** Reported as absent though it was taken. */
  deniedFalsely: boolean
  /** Number of the account behind the configuration. */
  readonly account: number
}

/** Whether the accounts of one provider use the same ids. */
export const sharesIds = ({ chance }: SimulationEnvironment): boolean => chance.happens(0.5, "accounts share ids")

export const accountKeyOf = (name: ProviderName, account: ConfigId | null): string =>
  account === null ? name : `${name}/${account}`

export class SimulatedProvider {
  readonly name: ProviderName
  /** Account key in ledger accounts and callback URLs. */
  readonly place: string
  readonly can: Capabilities
  private readonly env: SimulationEnvironment
  private readonly orders: Orders
  private readonly label: string
  private readonly calls = new Map<string, number>()
  private readonly names = new Map<string, string>()
  private issued = 0
  /** Increased with each change of credentials. */
  private account = 1
  private since: Date | undefined

  /** `account`: configuration of an own account; null: the platform's. */
  constructor(name: ProviderName, env: SimulationEnvironment, orders: Orders, account: ConfigId | null = null) {
    this.name = name
    this.place = accountKeyOf(name, account)
    this.env = env
    this.orders = orders
    this.label = account === null ? name : `own ${name}`
    this.can = drawCapabilities(env, this.label)
  }

  /** Replaces the credentials by those of an account that knows no earlier orders. */
  replaceAccount(): void {
    this.account += 1
    this.since = new Date(this.env.time.now + Duration.toMillis(credentialsRetireAfter))
  }

  /** Port with the present credentials. Existing ports keep theirs. */
  get port(): Provider {
    const { account, can, since } = this
    return {
      name: this.name,
      ...(since === undefined ? {} : { since }),
      honoursReference: can.honours,
      ...(can.refundsHonour === undefined ? {} : { refundsHonourReference: can.refundsHonour }),
      provesAbsence: can.provesAbsence,
      takesCardNumbers: true,
      supports: () => Either.void,
      initiate: (order) => this.initiate(order, account),
      enquire: (attempt) => this.enquire(attempt, account),
      callback: callbackReader(can.signs),
      ...(can.otp ? { otp: this.passwords(account) } : {}),
      ...(can.cancels ? { cancel: (attempt) => this.cancel(attempt, account) } : {}),
      ...(can.refunds ? { refund: (order) => this.refund(order, account) } : {}),
      ...(can.resumes ? { resume: (attempt) => this.resume(attempt, account) } : {})
    }
  }

  private find(reference: string, account: number): StoredOrder | undefined {
    const order = this.orders.find(reference) as StoredOrder | undefined
    return order?.account === account || this.orders.placeOf(reference) !== this.place ? order : undefined
  }

  /** Performs `act` at the provider and returns its answer, if either arrives. */
  private travel<A>(transmission: Transmission, purpose: string, act: () => A, lost: () => A): Effect.Effect<A> {
    const { chance, time } = this.env
    const suspending = Effect.withFiberRuntime<void>((fiber) =>
      suspendWhileWaiting(this.env, machineOf(fiber), purpose)
    )
    const travelling = Effect.async<A>((resume) => {
      const there = chance.between(5, 400, `${purpose} there`)
      const back = chance.between(5, 400, `${purpose} back`)
      const notices = chance.happens(0.5, `${purpose} notices`)
      const slowness = (least: number, most: number) => chance.between(least, most, `${purpose} slowness`) * SECOND
      const answerAfter = (millis: number) => (answer: A) =>
        void time.after(millis, () => resume(Effect.succeed(answer)))
      const loseAfter = (millis: number) => void time.after(millis, () => resume(Effect.sync(lost)))
      const arriveAfter = (millis: number, then: (answer: A) => void) => void time.after(millis, () => then(act()))
      switch (transmission) {
        case "smooth":
          return arriveAfter(there, answerAfter(back))
        case "lost":
          return notices ? loseAfter(there + back) : undefined
        case "unanswered":
          return arriveAfter(there, () => notices && loseAfter(back))
        case "slow answer":
          return arriveAfter(there, answerAfter(slowness(9, 40)))
        case "slow arrival":
          return arriveAfter(slowness(5, 30), answerAfter(back))
        case "breaks":
          return arriveAfter(there, () => {
            time.after(back, () => resume(Effect.die(new Error("an answer that nobody can read"))))
          })
        case "noticed late":
          if (notices) arriveAfter(there, () => {})
          return loseAfter(chance.between(5, 23, `${purpose} noticed`) * SECOND)
      }
    })
    return Effect.zipRight(suspending, travelling)
  }

  private nth(what: string): string {
    const count = (this.calls.get(what) ?? 0) + 1
    this.calls.set(what, count)
    return `${this.label} ${what} ${count}`
  }

  /** Name of the first order with the reference. Draws never depend on ids. */
  private nameOf({ reference }: Pick<AttemptContext, "reference">): string {
    return this.names.get(reference) ?? "something that it was never asked for"
  }

  private named(reference: string, purpose: string): string {
    if (!this.names.has(reference)) this.names.set(reference, purpose)
    return purpose
  }

  /** `leg`: only for orders. */
  private transmission(purpose: string, leg?: string): Transmission {
    const { focus } = this.env
    if (focus.suspendsIn !== undefined && purpose.includes(focus.suspendsIn)) return "smooth"
    const isMeant = leg !== undefined && focus.transmissions !== undefined && (focus.legs?.includes(leg) ?? true)
    const weights = isMeant ? { ...zeroWeights(transmissions), ...focus.transmissions } : transmissions
    return this.env.drawn(weights, "smooth", `${purpose} travels`)
  }

  private drawOutcome(usual: Readonly<Record<DrawnOutcome, number>>, purpose: string): DrawnOutcome {
    const { outcomes } = this.env.focus
    const possible = Object.entries(outcomes ?? {}).filter(([outcome]) => usual[outcome as DrawnOutcome] > 0)
    const weights = possible.length === 0 ? usual : { ...zeroWeights(usual), ...Object.fromEntries(possible) }
    return this.env.drawn(weights, "completes", `${purpose} fate`)
  }

  private initiate(order: PaymentOrder, account: number): Effect.Effect<Outcome> {
    return Effect.suspend(() => {
      const { flow, money, paymentId, reference } = order
      const about = `${order.description ?? order.method} ${flow}`
      const purpose = this.named(reference, this.nth(about))
      const { honours } = this.can
      this.orders.asked({ provider: this.name, place: this.place, paymentId, leg: flow, reference, honours })
      if (flow === "inbound") this.orders.returns.set(paymentId, order.returnUrl)
      this.env.log(`${this.name} is asked for ${money.toString()} ${flow} (${about}) as ${reference}`)
      return this.travel(
        this.transmission(purpose, flow),
        purpose,
        () =>
          this.take(
            { reference, paymentId, leg: flow, money, way: flow === "outbound" ? "out" : "in", of: null, account },
            purpose,
            honours
          ),
        () => new Unknown({ reason: "the connection was lost" })
      )
    })
  }

  private refund({ attempt, collectionId, money, reference }: RefundOrder, account: number): Effect.Effect<Outcome> {
    return Effect.suspend(() => {
      const purpose = this.named(reference, this.nth(`refund of ${attempt.leg} ${money.toString()}`))
      const of = this.find(attempt.reference, account)
      if (of !== undefined) this.orders.checkRefund(this.place, of, reference, money, collectionId)
      this.env.log(`${this.name} is asked to give ${money.toString()} back as ${reference}`)
      return this.travel(
        this.transmission(purpose, "refund"),
        purpose,
        (): Outcome => {
          if (of === undefined) {
            this.orders.deny(reference)
            return new Declined({ reason: "there is no such payment" })
          }
          const { paymentId } = of
          const about = { reference, paymentId, leg: `refund ${reference}`, money, way: "out" as const, of, account }
          return this.take(about, purpose, this.can.refundsHonour ?? this.can.honours)
        },
        () => new Unknown({ reason: "the connection was lost" })
      )
    })
  }

  private take(
    about: Pick<StoredOrder, "reference" | "paymentId" | "leg" | "money" | "way" | "of" | "account">,
    purpose: string,
    honours: Promised
  ): Outcome {
    const { time } = this.env
    const known = this.orders.find(about.reference) as StoredOrder | undefined
    if (known !== undefined) {
      if (known.account !== about.account && !known.denied) {
        this.env.problem(`${this.name} was sent ${about.leg} through two accounts`)
      }
      if (!isKept(honours, time.now - known.arrivedAt) && !known.denied) {
        this.env.problem(`${this.name} does not honour references and was sent ${about.leg} twice`)
      }
      if (this.can.repeats === "told again" || known.denied) return this.answerOf(known, purpose)
      this.env.count("fault: refuses a repetition")
      return new Declined({ reason: "there is such a reference already" })
    }
    const { of } = about
    if (of !== null && !this.orders.canRefund(of, about.money)) {
      this.orders.deny(about.reference)
      return new Declined({ reason: "there is not so much left to give back" })
    }
    const outcome = this.drawOutcome(
      about.way === "in" ? payinOutcomes : of === null ? payoutOutcomes : refundOutcomes,
      purpose
    )
    const waitsFor = outcome === "waits for its customer" ? this.customersTask(purpose) : null
    const order: StoredOrder = {
      ...about,
      provider: this.name,
      providerPaymentId: this.nextId(),
      arrivedAt: time.now,
      state: "under way",
      moved: new Map(),
      back: new Map(),
      movements: [],
      denied: false,
      deniedFalsely: false,
      times: 0,
      outcome,
      waitsFor,
      callbacksSent: 0,
      wrongPasswords: 0
    } as StoredOrder
    this.orders.add(this.place, order)
    this.env.count(`fate: ${outcome}`)
    this.env.log(`${this.name} has ${order.providerPaymentId} (${order.reference}): it ${outcome}`)
    this.settle(order, purpose)
    return this.answerOf(order, purpose)
  }

  /** Guessable ids. */
  private nextId(): string {
    this.issued += 1
    const isOwn = this.place !== this.name && !sharesIds(this.env)
    return `${this.name}-${isOwn ? "own-" : ""}${this.account > 1 ? `${this.account}-` : ""}${this.issued}`
  }

  private customersTask(purpose: string): CustomerTask {
    const tasks: Array<CustomerTask> = ["bank_transfer", "pay_by_link"]
    if (this.can.otp) tasks.push("collect_otp", "collect_otp")
    if (this.can.resumes) tasks.push("redirect")
    return this.env.chance.pick(tasks, `${purpose} task`)
  }

  /** Plans the outcome. */
  private settle(order: StoredOrder, purpose: string): void {
    const { chance, time } = this.env
    const soon = drawDelay(chance, purpose)
    const later = soon + drawDelay(chance, `${purpose} later`) + SECOND
    const whole = order.money
    const part = (percent: bigint) =>
      new Money({ currency: whole.currency, minor: (whole.minor * percent) / 100n || 1n })
    switch (order.outcome) {
      case "completes":
        time.after(soon, () => this.complete(order, whole, purpose))
        return
      case "completes at once":
        this.complete(order, whole, purpose)
        return
      case "waits for its customer": {
        order.state = "waiting"
        const isLate = this.env.focus.lateCustomers === true
        const customers = isLate ? { pays: 1, "pays late": 3, never: 6 } : { pays: 6, "pays late": 2, never: 2 }
        const comes = chance.weighed(customers, `${purpose} customer`)
        if (comes === "never" || order.waitsFor === "collect_otp") return
        const when = comes === "pays" ? soon : soon + chance.between(1, 40, `${purpose} hours`) * HOUR
        time.after(when, () => {
          if (order.state === "waiting") this.complete(order, whole, purpose, when > 20 * MINUTE)
        })
        return
      }
      case "declines the instrument":
      case "declines":
      case "is down":
        order.state = "failed"
        order.denied = true
        return
      case "fails later":
        time.after(soon, () => this.fail(order, purpose))
        return
      case "returns later":
        time.after(soon, () => this.complete(order, whole, purpose))
        time.after(later, () => this.takeBack(order, purpose))
        return
      case "never ends":
        return
      case "is paid twice":
        time.after(soon, () => this.complete(order, whole, purpose))
        time.after(later, () => this.payAgain(order, purpose))
        return
      case "brings less":
        time.after(soon, () => this.complete(order, part(60n), purpose))
        return
      case "brings less and the rest later":
        time.after(soon, () => this.complete(order, part(60n), purpose))
        time.after(later, () => this.bringMore(order, purpose))
        return
      case "brings more":
        time.after(soon, () => this.complete(order, part(130n), purpose))
        return
      case "brings another currency":
        time.after(soon, () =>
          this.complete(
            order,
            new Money({ currency: whole.currency === "USD" ? "EUR" : "USD", minor: 1234n } as never),
            purpose
          )
        )
        return
      case "fails and completes after all":
        time.after(soon, () => this.fail(order, purpose))
        time.after(later, () => this.completeAfterAll(order, purpose))
        return
      case "declines and completes after all":
        order.state = "failed"
        order.denied = true
        time.after(later, () => this.completeAfterAll(order, purpose))
    }
  }

  private complete(order: StoredOrder, money: Money, purpose: string, insists = false): void {
    if (order.state === "canceled" || order.state === "failed") return
    order.state = "done"
    order.times += 1
    recordTransfer(order, money)
    this.env.log(`${this.name} has moved ${money.toString()} for ${order.providerPaymentId}`)
    this.callBack(order, "completed", `${purpose} completed`, insists)
    // Only signing providers have disputes: others name no amounts.
    if (order.way === "in" && this.can.signs && order.outcome !== "returns later") {
      planDisputes(this.disputing, order, purpose)
    }
  }

  private bringMore(order: StoredOrder, purpose: string): void {
    if (order.state !== "done") return
    const came = order.moved.get(order.money.currency) ?? 0n
    recordTransfer(order, new Money({ currency: order.money.currency, minor: order.money.minor - came }))
    this.callBack(order, "completed", `${purpose} the rest`, true)
  }

  /** The payer pays a second time. */
  private payAgain(order: StoredOrder, purpose: string): void {
    if (order.state !== "done") return
    recordTransfer(order, order.money)
    this.env.log(`${this.name} has moved ${order.money.toString()} for ${order.providerPaymentId} once more`)
    this.callBack(order, "completed", `${purpose} once more`, true)
  }

  /** Reports a manual movement of a payin; a negative amount is a refund. */
  reportManualMovement(order: Order, money: Money, purpose: string, id = manualMovementId(order)): void {
    const [kind, amount] = money.isNegative
      ? (["refund", money.negate()] as const)
      : (["reinstatement", money] as const)
    const movement = addMovement(order, kind, id, amount)
    this.env.log(`${this.name} tells of ${money.toString()} that moved by hand for ${order.providerPaymentId}`)
    this.disputing.says(order, movement, purpose, this.orders.startReport(order.paymentId))
  }

  private completeAfterAll(order: StoredOrder, purpose: string): void {
    if (order.state === "canceled") return
    order.state = "done"
    order.times += 1
    recordTransfer(order, order.money)
    this.env.log(`${this.name} has moved ${order.money.toString()} for ${order.providerPaymentId} after all`)
    this.callBack(order, "completed", `${purpose} after all`, true)
  }

  private fail(order: StoredOrder, purpose: string): void {
    if (order.state !== "under way" && order.state !== "waiting") return
    order.state = "failed"
    order.denied = true
    this.callBack(order, "failed", `${purpose} failed`)
  }

  /** Takes back what is left after refunds. */
  private takeBack(order: StoredOrder, purpose: string): void {
    if (order.state !== "done") return
    const left = remainingOf(order, this.orders.refundsOf(order))
    if (this.orders.hasOpenRefund(order)) return
    order.state = "returned"
    for (const money of left) {
      recordReturn(order, money)
      const kind = order.way === "in" ? "reversal" : "reinstatement"
      if (money.isPositive) addMovement(order, kind, `${order.providerPaymentId}-returned-${money.currency}`, money)
    }
    this.env.log(`${this.name} has taken ${order.providerPaymentId} back`)
    this.callBack(order, "returned", `${purpose} returned`, true)
  }

  private answerOf(order: StoredOrder, purpose: string): Outcome {
    if (order.denied) {
      const id = this.can.tellsId ? { providerPaymentId: order.providerPaymentId } : {}
      switch (order.outcome) {
        case "declines the instrument":
          return new Declined({
            ...id,
            reason: this.words(purpose, "insufficient funds"),
            instrument: true,
            code: "INSUFFICIENT_FUNDS"
          })
        case "is down":
          return new Declined({ ...id, reason: "it is down", code: "PROVIDER_UNAVAILABLE" })
        default:
          return new Declined({ ...id, reason: this.words(purpose, "it does not want it") })
      }
    }
    const state = order.state === "done" ? "completed" : order.state === "waiting" ? "pending" : "processing"
    return new Accepted({
      state,
      providerPaymentId: this.can.tellsId ? order.providerPaymentId : null,
      providerStatus: this.words(purpose, state),
      nextAction: order.state === "waiting" ? order.waitsFor : null,
      actionData: order.state === "waiting" ? this.task(order) : {},
      providerData: { ["of"]: this.words(purpose, "its own") },
      ...withMovements(this.movementsOf(order))
    })
  }

  /** Providers that do not count omit the ordered amount. */
  private movementsOf(order: StoredOrder): ReadonlyArray<Movement> {
    if (this.can.tells === "totals") return totalsOf(order)
    const isOrdered = ({ amount, kind }: Movement) =>
      ["collection", "disbursement", "refund"].includes(kind) &&
      amount?.minor === order.money.minor &&
      amount.currency === order.money.currency
    return order.movements.map((one) => (isOrdered(one) && !this.can.counts ? { ...one, amount: null } : one))
  }

  private reportedOf(order: Order): ReadonlyArray<Movement> {
    return this.can.tells === "totals" ? totalsOf(order) : order.movements
  }

  /** The movement itself, or the total of its kind. */
  private inATotal(order: Order, reported: Movement): ReadonlyArray<Movement> {
    if (this.can.tells === "each") return [reported]
    return totalsOf(order).filter(
      ({ amount, kind }) => kind === reported.kind && amount?.currency === reported.amount?.currency
    )
  }

  private task(order: StoredOrder): Accepted["actionData"] {
    switch (order.waitsFor) {
      case "redirect":
        return { redirect_url: `https://${this.name}.example/pay/${order.providerPaymentId}` }
      case "pay_by_link":
        return { payment_link: `https://${this.name}.example/link/${order.providerPaymentId}` }
      case "bank_transfer":
        return {
          account_number: "0011223344",
          account_name: "Collections",
          bank_name: "Their Bank",
          reference: order.providerPaymentId,
          expires_at: null
        }
      default:
        return {}
    }
  }

  private words(purpose: string, plain: string): string {
    return this.env.strikes(0.03, "text that databases refuse", purpose)
      ? `${plain} ${this.env.chance.pick(refusedTexts, `${purpose} spoilt`)}`
      : plain
  }

  private reportOf(order: StoredOrder, purpose: string): Report {
    const states = {
      waiting: "pending",
      "under way": "processing",
      done: "completed",
      failed: "failed",
      canceled: "failed",
      returned: "returned"
    } as const
    const state = states[order.state]
    if (state === "failed") order.denied = true
    return new Report({
      state,
      reason: state === "failed" ? this.words(purpose, "it failed") : null,
      providerPaymentId: order.providerPaymentId,
      providerStatus: this.words(purpose, state),
      ...withMovements([
        ...this.movementsOf(order),
        ...this.orders.refundsOf(order).flatMap((refund) => this.reportedOf(refund))
      ]),
      ...(order.state === "waiting" && this.can.repeatsInstructions && order.waitsFor !== null
        ? { waitsFor: { nextAction: order.waitsFor, actionData: this.task(order) } }
        : {})
    })
  }

  private get disputing() {
    return {
      env: this.env,
      orders: this.orders,
      says: (order: Order, movement: Movement, purpose: string, onTaken: () => void) => {
        const state = movement.kind === "reinstatement" ? "completed" : "returned"
        this.callBack(order as StoredOrder, state, purpose, true, { movement, onTaken })
      }
    }
  }

  /** `insists`: calls until acknowledged, because no enquiry would find it. */
  private callBack(
    order: StoredOrder,
    state: Report["state"],
    purpose: string,
    insists = false,
    dispute?: { readonly movement: Movement; readonly onTaken: () => void }
  ): void {
    const { chance, time } = this.env
    const how = this.env.drawn(callbackDeliveries, "once", `${purpose} callback`)
    if (how === "never" && !insists) return
    order.callbacksSent += 1
    // The provider's own id is known only after an answer contained it.
    const isAfterwards = order.denied || dispute !== undefined || state === "returned"
    const isUntold = (order.denied && order.deniedFalsely) || (isAfterwards && !this.can.tellsId)
    const event: CallbackPayload = {
      key: `${order.providerPaymentId} ${state} ${order.callbacksSent}`,
      reference: this.can.callsBackBy === "reference" || isUntold ? order.reference : null,
      providerPaymentId: order.providerPaymentId,
      state,
      status: this.words(purpose, state),
      movements: payloadMovements(
        dispute === undefined ? this.movementsOf(order) : this.inATotal(order, dispute.movement)
      )
    }
    const { movements: _, ...plain } = event
    const early: CallbackPayload = {
      ...plain,
      key: `${order.providerPaymentId} processing ${order.callbacksSent}`,
      state: "processing"
    }
    const reordered = this.env.strikes(0.1, "callback out of order", purpose)
    const together = chance.happens(0.5, `${purpose} together`)
    const after =
      how === "late"
        ? chance.between(30, 600, `${purpose} lateness`) * SECOND
        : chance.between(1, 900, `${purpose} gap`)
    time.after(after, () =>
      this.deliver(reordered && together ? [event, early] : [event], insists ? 40 : 3, dispute?.onTaken)
    )
    if (how === "twice")
      time.after(after + chance.between(1, 5_000, `${purpose} again`), () => this.deliver([event], 1))
    if (reordered && !together) time.after(after + 2_000, () => this.deliver([early], 1))
  }

  private deliver(events: ReadonlyArray<CallbackPayload>, tries: number, onTaken: () => void = () => {}): void {
    const sent = {
      method: "POST",
      path: `/callbacks/${this.place}`,
      headers: { "x-proof": "genuine" },
      body: JSON.stringify(events)
    }
    this.env.log(`${this.name} calls back: ${events.map(({ key }) => key).join(", ")}`)
    this.env.send(sent, (reply) => {
      if (reply !== null && reply.status < 300) return onTaken()
      if (tries > 1)
        this.env.time.after(Math.min(HOUR, 5 * SECOND * 2 ** (40 - Math.min(40, tries))) + 5 * SECOND, () =>
          this.deliver(events, tries - 1, onTaken)
        )
    })
  }

  private enquire(attempt: AttemptContext, account: number): Effect.Effect<Enquiry> {
    return Effect.suspend(() => {
      const purpose = this.nth(`look-up of ${this.nameOf(attempt)}`)
      return this.travel(
        this.transmission(purpose),
        purpose,
        () => this.lookUp(attempt.reference, account, attempt.sentAt.getTime(), purpose),
        () => new Unknown({ reason: "the connection was lost" })
      ).pipe(
        Effect.tap((said) =>
          Effect.sync(() =>
            this.env.log(
              `${this.name} says of ${attempt.reference}: ${said._tag === "Report" ? said.state : said._tag}`
            )
          )
        )
      )
    })
  }

  /** `said`: time of the last send by the caller; the stored time counts. */
  private lookUp(reference: string, account: number, said: number, purpose: string): Enquiry {
    const { chance, time } = this.env
    const order = this.find(reference, account)
    const sentAt = this.orders.sentAt(reference)?.getTime() ?? said
    this.env.log(`${this.name} looks ${reference} up: ${order?.state ?? "never had it"}`)
    const { provesAbsence } = this.can
    const proves =
      provesAbsence !== false &&
      time.now - sentAt >= (provesAbsence === true ? MINUTE : Math.max(MINUTE, Duration.toMillis(provesAbsence)))
    if (order === undefined) {
      // The absence at another account proves nothing.
      if (proves && this.since === undefined) this.orders.deny(reference)
      return new Absent()
    }
    if (!proves && this.env.strikes(0.12, "does not find what it has", purpose)) return new Absent()
    if (proves && order.state !== "canceled" && this.env.strikes(0.01, "swears that it never had it", purpose)) {
      order.denied = true
      order.deniedFalsely = true
      this.orders.deny(reference)
      time.after(chance.between(1, 60, `${purpose} remembers`) * MINUTE, () => {
        if (order.state !== "failed")
          this.callBack(
            order,
            order.state === "done" ? "completed" : order.state === "returned" ? "returned" : "processing",
            `${purpose} remembers`,
            true
          )
      })
      return new Absent()
    }
    return this.reportOf(order, purpose)
  }

  private readonly passwords = (account: number): OneTimePasswords => ({
    submit: (attempt, otp) =>
      Effect.suspend(() => {
        const purpose = this.nth(`password for ${this.nameOf(attempt)}`)
        return this.travel(
          this.transmission(purpose),
          purpose,
          () => {
            const order = this.find(attempt.reference, account)
            if (order === undefined || order.state !== "waiting" || order.waitsFor !== "collect_otp")
              return "not_expected" as const
            if (otp !== rightPassword) {
              order.wrongPasswords += 1
              return "wrong" as const
            }
            order.state = "under way"
            this.env.time.after(drawDelay(this.env.chance, purpose), () => this.complete(order, order.money, purpose))
            return "accepted" as const
          },
          () => "unknown" as const
        )
      }),
    resend: () => Effect.succeed(true)
  })

  private cancel(attempt: AttemptContext, account: number): Effect.Effect<"canceled" | "refused" | "unknown"> {
    return Effect.suspend(() => {
      const purpose = this.nth(`cancellation of ${this.nameOf(attempt)}`)
      return this.travel(
        this.transmission(purpose),
        purpose,
        () => {
          const order = this.find(attempt.reference, account)
          if (order === undefined) return "unknown" as const
          if (order.state === "canceled") return "canceled" as const
          if (order.state !== "waiting" && order.state !== "under way") return "refused" as const
          if (this.env.chance.happens(0.3, `${purpose} refused`)) return "refused" as const
          order.state = "canceled"
          order.denied = true
          this.env.log(`${this.name} has called ${order.providerPaymentId} off`)
          return "canceled" as const
        },
        () => "unknown" as const
      )
    })
  }

  private resume(attempt: AttemptContext, account: number): Effect.Effect<Enquiry> {
    return Effect.suspend(() => {
      const purpose = this.nth(`return of ${this.nameOf(attempt)}`)
      return this.travel(
        this.transmission(purpose),
        purpose,
        (): Enquiry => {
          const order = this.find(attempt.reference, account)
          if (order === undefined) return new Unknown({ reason: "who is that?" })
          if (order.state === "waiting" && order.waitsFor === "redirect" && attempt.isWanted)
            this.complete(order, order.money, purpose)
          return this.reportOf(order, purpose)
        },
        () => new Unknown({ reason: "the connection was lost" })
      )
    })
  }
}

/** Refunds move the whole amount or nothing. */
const refundOutcomes: Readonly<Record<DrawnOutcome, number>> = {
  ...payoutOutcomes,
  "fails and completes after all": 2,
  "declines the instrument": 1
}
