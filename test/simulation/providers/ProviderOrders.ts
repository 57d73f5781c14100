/** All orders at all providers of a run, with the rules for sending them. */
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
  /** Account key: the provider, or the provider and a configuration. */
  readonly place: string
  readonly paymentId: PaymentId
  readonly leg: string
  readonly reference: string
  /** Promise of the provider for repeated references. */
  readonly honours: Promised
}

interface RefundRequest {
  readonly of: Order
  readonly money: Money
  /** Collection that is refunded, if the caller named one. */
  readonly collection: string | null
}

const SECOND = 1000

/**
 * An order may be in transit for this long. Senders count one minute from the commit, and it may leave at the end of
 * the send window.
 */
const ON_ITS_WAY = 35 * SECOND

export class Orders {
  private readonly env: SimulationEnvironment
  private readonly byReference = new Map<string, Order>()
  /** Account key of each order. */
  private readonly places = new Map<string, string>()
  private readonly asks = new Map<string, SentOrder>()
  /** First and last send of each reference. */
  private readonly times = new Map<string, { readonly first: number; readonly last: number }>()
  private readonly refundRequests = new Map<string, RefundRequest>()
  private readonly deniedReferences = new Set<string>()
  /** Number of reports in transit that no enquiry would return, by payment. */
  private readonly words = new Map<PaymentId, number>()
  /** Return URLs of customers. */
  readonly returns = new Map<PaymentId, string>()
  /** Further reason why an order must not be sent. */
  objection: (ask: SentOrder) => string | undefined = () => undefined
  /** Last commit of a send, by the database's clock. */
  sentAt: (reference: string) => Date | undefined = () => undefined

  constructor(env: SimulationEnvironment) {
    this.env = env
  }

  /** Checks a send: every other provider of the same leg must have refused it. */
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

  /** An order that may be in transit is repeated only with an honoured reference. */
  private repeated({ honours, leg, provider, reference }: SentOrder): void {
    const { now } = this.env.time
    const before = this.times.get(reference)
    this.times.set(reference, { first: before?.first ?? now, last: now })
    if (before === undefined || isKept(honours, now - before.first) || now - before.last >= ON_ITS_WAY) return
    this.env.problem(`${provider} was sent ${leg} again while it may still be on its way there`)
  }

  /** No order is sent after the send window, unless its machine was suspended. */
  private late({ leg, provider, reference }: SentOrder): void {
    const sent = this.sentAt(reference)
    if (sent === undefined || this.env.hasSuspended) return
    if (this.env.time.now - sent.getTime() <= Duration.toMillis(sendWindow)) return
    this.env.problem(`${provider} was sent ${leg} after the time to send it was over`)
  }

  /** Refunds that stand must not exceed the order. */
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

  /** If a payer paid twice, refunds of each transfer must not exceed it. */
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

  /** Whether the order was sent and never refused. */
  mayStand(reference: string): boolean {
    const order = this.byReference.get(reference)
    // An order that was taken back has come to nothing.
    if (order !== undefined && (order.state === "returned" || order.back.size > 0)) return false
    return (this.asks.has(reference) || this.refundRequests.has(reference)) && !this.isDenied(reference)
  }

  /** A ramp payout may be sent again to a provider that does not have it. */
  private maySendAgain({ leg, paymentId }: SentOrder): boolean {
    return (
      leg === "outbound" &&
      Array.from(this.asks.values()).some((one) => one.paymentId === paymentId && one.leg === "inbound")
    )
  }

  /** Marks a reference as refused or absent. */
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

  /** First order of a payment at an account. */
  at(paymentId: PaymentId, place: string): Order | undefined {
    return Array.from(this.byReference.values()).find(
      (order) => order.paymentId === paymentId && this.places.get(order.reference) === place
    )
  }

  placeOf(reference: string): string | undefined {
    return this.places.get(reference)
  }

  /** Starts a report of a payment; the returned function acknowledges it. */
  startReport(paymentId: PaymentId): () => void {
    this.words.set(paymentId, (this.words.get(paymentId) ?? 0) + 1)
    let isRecorded = false
    return () => {
      if (!isRecorded) this.words.set(paymentId, this.words.get(paymentId)! - 1)
      isRecorded = true
    }
  }

  hasPendingReport(paymentId: PaymentId): boolean {
    return (this.words.get(paymentId) ?? 0) > 0
  }

  /** Whether any provider ever moved money for the payment. */
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
   * Minor units that each provider holds for a payment. `anticipated`: open refunds count as gone, as in the ledger.
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
