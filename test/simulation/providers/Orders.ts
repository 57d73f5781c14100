/** All orders at all providers of a run, and whether anybody was asked who must not have been. */
import { Duration } from "effect"
import type { ProviderName } from "../../../src/domain/Corridor.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { Money } from "../../../src/domain/Money.ts"
import { sendWindow } from "../../../src/domain/policies/PaymentPolicies.ts"
import type { Promised } from "../../../src/providers/port/Provider.ts"
import type { SimulationEnvironment } from "../world/SimulationEnvironment.ts"
import { balanceChange, isKept, remainingOf, type Order } from "./ProviderState.ts"

export interface SentOrder {
  readonly provider: ProviderName
  /** The provider, or the account at it. */
  readonly place: string
  readonly paymentId: PaymentId
  readonly leg: string
  readonly reference: string
  /** What the provider promises of references that it has already. */
  readonly honours: Promised
}

/** Money that a provider was asked to give back. */
interface RefundRequest {
  readonly of: Order
  readonly money: Money
  /** The transfer that it is to be given back of, where the caller named one. */
  readonly collection: string | null
}

const SECOND = 1000

/**
 * What was sent within this time may still be on its way. Whoever sends again counts a minute from when it was committed,
 * and it may have left the window's length later.
 */
const ON_ITS_WAY = 35 * SECOND

export class Orders {
  private readonly env: SimulationEnvironment
  private readonly byReference = new Map<string, Order>()
  /** Where each order lies: a provider, or an account at it. */
  private readonly places = new Map<string, string>()
  private readonly asks = new Map<string, SentOrder>()
  /** When each reference was asked for first and last. */
  private readonly times = new Map<string, { readonly first: number; readonly last: number }>()
  private readonly refundRequests = new Map<string, RefundRequest>()
  private readonly deniedReferences = new Set<string>()
  /** How much is on its way to be heard, by payment, that nobody would learn by asking. */
  private readonly words = new Map<PaymentId, number>()
  /** Where customers are led back to. */
  readonly returns = new Map<PaymentId, string>()
  /** What somebody has against it that a provider is asked. */
  objection: (ask: SentOrder) => string | undefined = () => undefined
  /** When an attempt was last committed to be sent, by the clock of the database. */
  sentAt: (reference: string) => Date | undefined = () => undefined

  constructor(env: SimulationEnvironment) {
    this.env = env
  }

  /** A call is on its way: everybody who was asked for the same before must have said that it will come to nothing. */
  asked(ask: SentOrder): void {
    if (this.deniedReferences.has(ask.reference) && !this.maySendAgain(ask)) {
      this.env.problem(`${ask.provider} was sent ${ask.leg} after it had proved that it never had it`)
    }
    const objection = this.objection(ask)
    if (objection !== undefined) this.env.problem(objection)
    this.asks.set(ask.reference, ask)
    this.repeated(ask)
    this.late(ask)
    for (const other of this.asks.values()) {
      const same = other.paymentId === ask.paymentId && other.leg === ask.leg && other.reference !== ask.reference
      if (same && other.place === ask.place) {
        this.env.problem(`${ask.provider} was asked for ${ask.leg} again after it had refused it`)
      }
      if (same && !this.isDenied(other.reference)) {
        this.env.problem(
          `${ask.provider} was asked for ${ask.leg} while it is not known what ${other.provider} did with it`
        )
      }
    }
  }

  /** What may still be on its way is sent again only where its reference moves money once. */
  private repeated({ honours, leg, provider, reference }: SentOrder): void {
    const { now } = this.env.time
    const before = this.times.get(reference)
    this.times.set(reference, { first: before?.first ?? now, last: now })
    if (before === undefined || isKept(honours, now - before.first) || now - before.last >= ON_ITS_WAY) return
    this.env.problem(`${provider} was sent ${leg} again while it may still be on its way there`)
  }

  /** Others may have acted on that it was never sent. A machine that slept in the middle of it is another matter. */
  private late({ leg, provider, reference }: SentOrder): void {
    const sent = this.sentAt(reference)
    if (sent === undefined || this.env.hasSuspended) return
    if (this.env.time.now - sent.getTime() <= Duration.toMillis(sendWindow)) return
    this.env.problem(`${provider} was sent ${leg} after the time to send it was over`)
  }

  /** All that is asked back of an order, and has not come to nothing, is no more than was paid. */
  checkRefund(place: string, of: Order, reference: string, money: Money, collection: string | null = null): void {
    this.refundRequests.set(reference, { of, money, collection })
    const stands = (one: string) =>
      !this.isDenied(one) && !["failed", "canceled", "returned"].includes(this.byReference.get(one)?.state ?? "")
    let asked = 0n
    for (const [one, back] of this.refundRequests) {
      const isSame = back.of === of && back.money.currency === money.currency
      if (isSame && stands(one)) asked += back.money.minor
    }
    this.checkTransferRefund(place, of, collection, stands)
    const paid = of.moved.get(money.currency) ?? 0n
    if (asked > paid) this.env.problem(`${place} was asked to give ${asked} back of ${paid}`)
  }

  /** Of one who paid the same twice, no more is asked back of either transfer than it brought. */
  private checkTransferRefund(
    place: string,
    of: Order,
    collection: string | null,
    stands: (reference: string) => boolean
  ): void {
    const brought = of.movements.find(({ id, kind }) => kind === "collection" && id === collection)?.amount
    const isTwice = of.movements.filter(({ amount, kind }) => kind === "collection" && amount?.minor === of.money.minor)
    if (brought === undefined || brought === null || isTwice.length < 2) return
    let back = 0n
    for (const [one, asked] of this.refundRequests)
      if (asked.of === of && asked.collection === collection && stands(one)) back += asked.money.minor
    if (back > brought.minor)
      this.env.problem(`${place} was asked to give ${back} back of a transfer of ${brought.minor}`)
  }

  /** Whether it was asked for and nobody has said that it comes to nothing. */
  mayStand(reference: string): boolean {
    const order = this.byReference.get(reference)
    // What came to something and was taken back since has come to nothing.
    if (order !== undefined && (order.state === "returned" || order.back.size > 0)) return false
    return (this.asks.has(reference) || this.refundRequests.has(reference)) && !this.isDenied(reference)
  }

  /** The second leg of a ramp: nobody waits for it, so that what its provider does not have is sent again. */
  private maySendAgain({ leg, paymentId }: SentOrder): boolean {
    return (
      leg === "outbound" &&
      Array.from(this.asks.values()).some((one) => one.paymentId === paymentId && one.leg === "inbound")
    )
  }

  /** Whoever had it has said, or somebody has found out, that it comes to nothing. */
  deny(reference: string): void {
    this.deniedReferences.add(reference)
  }

  private isDenied(reference: string): boolean {
    return this.deniedReferences.has(reference) || this.byReference.get(reference)?.denied === true
  }

  add(place: string, order: Order): void {
    this.byReference.set(order.reference, order)
    this.places.set(order.reference, place)
  }

  find(reference: string): Order | undefined {
    return this.byReference.get(reference)
  }

  /** The first of a payment at a place. */
  at(paymentId: PaymentId, place: string): Order | undefined {
    return Array.from(this.byReference.values()).find(
      (order) => order.paymentId === paymentId && this.places.get(order.reference) === place
    )
  }

  placeOf(reference: string): string | undefined {
    return this.places.get(reference)
  }

  /** A word about the payment is on its way; what is answered says that it was heard. */
  startReport(paymentId: PaymentId): () => void {
    this.words.set(paymentId, (this.words.get(paymentId) ?? 0) + 1)
    let isHeard = false
    return () => {
      if (!isHeard) this.words.set(paymentId, this.words.get(paymentId)! - 1)
      isHeard = true
    }
  }

  hasPendingReport(paymentId: PaymentId): boolean {
    return (this.words.get(paymentId) ?? 0) > 0
  }

  /** Whether any provider has moved money because of it, whatever became of that since. */
  hasMoved(paymentId: PaymentId): boolean {
    return Array.from(this.byReference.values()).some(
      ({ moved, of, paymentId: about }) => about === paymentId && of === null && moved.size > 0
    )
  }

  refundsOf(order: Order): ReadonlyArray<Order> {
    return Array.from(this.byReference.values()).filter((other) => other.of === order)
  }

  hasOpenRefund(order: Order): boolean {
    return this.refundsOf(order).some(({ state }) => state === "under way")
  }

  canRefund(order: Order, money: Money): boolean {
    if (order.state !== "done") return false
    const underWay = this.refundsOf(order).filter(({ state }) => state === "under way")
    const reserved = underWay.reduce(
      (sum, one) => (one.money.currency === money.currency ? sum + one.money.minor : sum),
      0n
    )
    return remainingOf(order, this.refundsOf(order)).some(
      ({ currency, minor }) => currency === money.currency && minor - reserved >= money.minor
    )
  }

  /**
   * What each provider really has because of a payment, by currency, in minor units. `anticipated`: what it is about to give
   * back counts as gone, as it does in the books.
   */
  holdings(paymentId: PaymentId, anticipated = false): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    const add = (place: string, currency: string, minor: bigint) => {
      const account = `provider/${place}/${currency}`
      sums.set(account, (sums.get(account) ?? 0n) + minor)
    }
    for (const order of this.byReference.values()) {
      if (order.paymentId !== paymentId) continue
      const place = this.places.get(order.reference)!
      for (const [currency, minor] of balanceChange(order)) add(place, currency, minor)
      if (anticipated && order.of !== null && order.state === "under way") {
        add(place, order.money.currency, -order.money.minor)
      }
    }
    return sums
  }
}
