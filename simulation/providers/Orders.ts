/** All orders at all providers of a run, and whether anybody was asked who must not have been. */
import type { ProviderName } from "../../src/domain/Corridor.ts"
import type { PaymentId } from "../../src/domain/Identifiers.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Outside } from "../world/Outside.ts"
import { gained, leftOf, type Order } from "./Truth.ts"

export interface Asked {
  readonly provider: ProviderName
  readonly paymentId: PaymentId
  readonly leg: string
  readonly reference: string
}

export class Orders {
  private readonly outside: Outside
  private readonly byReference = new Map<string, Order>()
  /** Where each order lies: a provider, or an account at it. */
  private readonly places = new Map<string, string>()
  private readonly asks = new Map<string, Asked>()
  private readonly denials = new Set<string>()
  /** How much is on its way to be heard, by payment, that nobody would learn by asking. */
  private readonly words = new Map<PaymentId, number>()
  /** Where customers are led back to. */
  readonly returns = new Map<PaymentId, string>()
  /** What somebody has against it that a provider is asked. */
  objection: (ask: Asked) => string | undefined = () => undefined

  constructor(outside: Outside) {
    this.outside = outside
  }

  /** A call is on its way: everybody who was asked for the same before must have said that it will come to nothing. */
  asked(ask: Asked): void {
    if (this.denials.has(ask.reference) && !this.maySendAgain(ask)) {
      this.outside.problem(`${ask.provider} was sent ${ask.leg} after it had proved that it never had it`)
    }
    const objection = this.objection(ask)
    if (objection !== undefined) this.outside.problem(objection)
    this.asks.set(ask.reference, ask)
    for (const other of this.asks.values()) {
      const same = other.paymentId === ask.paymentId && other.leg === ask.leg && other.reference !== ask.reference
      if (same && !this.isDenied(other.reference)) {
        this.outside.problem(
          `${ask.provider} was asked for ${ask.leg} while it is not known what ${other.provider} did with it`
        )
      }
    }
  }

  /** The second leg of a ramp: nobody waits for it, so that what its provider does not have is sent again. */
  private maySendAgain({ leg, paymentId }: Asked): boolean {
    return (
      leg === "outbound" &&
      Array.from(this.asks.values()).some((one) => one.paymentId === paymentId && one.leg === "inbound")
    )
  }

  /** Whoever had it has said, or somebody has found out, that it comes to nothing. */
  deny(reference: string): void {
    this.denials.add(reference)
  }

  private isDenied(reference: string): boolean {
    return this.denials.has(reference) || this.byReference.get(reference)?.denied === true
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
  speaking(paymentId: PaymentId): () => void {
    this.words.set(paymentId, (this.words.get(paymentId) ?? 0) + 1)
    let isHeard = false
    return () => {
      if (!isHeard) this.words.set(paymentId, this.words.get(paymentId)! - 1)
      isHeard = true
    }
  }

  isSpokenOf(paymentId: PaymentId): boolean {
    return (this.words.get(paymentId) ?? 0) > 0
  }

  refundsOf(order: Order): ReadonlyArray<Order> {
    return Array.from(this.byReference.values()).filter((other) => other.of === order)
  }

  isGivingBack(order: Order): boolean {
    return this.refundsOf(order).some(({ state }) => state === "under way")
  }

  mayGiveBack(order: Order, money: Money): boolean {
    if (order.state !== "done") return false
    const underWay = this.refundsOf(order).filter(({ state }) => state === "under way")
    const reserved = underWay.reduce(
      (sum, one) => (one.money.currency === money.currency ? sum + one.money.minor : sum),
      0n
    )
    return leftOf(order, this.refundsOf(order)).some(
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
      for (const [currency, minor] of gained(order)) add(place, currency, minor)
      if (anticipated && order.of !== null && order.state === "under way") {
        add(place, order.money.currency, -order.money.minor)
      }
    }
    return sums
  }
}
