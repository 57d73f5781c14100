/** What the tests of pawaPay share. */
import { CountryCode } from "../../../src/domain/Country.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { pawapay } from "../../../src/providers/pawapay/Pawapay.ts"
import { pawapayFake } from "../../../src/providers/pawapay/Fake.ts"
import { memoryWire } from "../wire/MemoryWire.ts"
import { accountOf, money, orderOf } from "../wire/Orders.ts"

export const kenya = (text: string, about: Partial<PaymentOrder> = {}): PaymentOrder =>
  orderOf({
    money: money(text, "KES"),
    mobileMoney: { network: "mpesa", phoneNumber: "+254703456789" },
    ...about
  })

export const zambia = (text: string, about: Partial<PaymentOrder> = {}): PaymentOrder =>
  orderOf({
    country: CountryCode.make("ZM"),
    money: money(text, "ZMW"),
    mobileMoney: { network: "mtn", phoneNumber: "+260763456789" },
    ...about
  })

/** At 0 of the clock of the tests, unless told otherwise. */
export const joined = (
  credentials: Readonly<Record<string, string>> = pawapayFake.credentials,
  now = () => new Date(0)
) => {
  const wire = memoryWire(pawapayFake, now)
  return { wire, provider: pawapay.connect(accountOf(wire.http, credentials)) }
}
