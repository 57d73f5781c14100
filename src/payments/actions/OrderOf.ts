/** The order for a payment's provider, rebuilt from its record: all that was sent at first, but for a card. */
import { Option, Schema } from "effect"
import { MobileMoneyDetails, PayerDetails, SourceBank } from "../../api/PaymentsInit.ts"
import { type Destination, destinationOf } from "../../beneficiaries/Destination.ts"
import { findNetwork } from "../../domain/MobileNetwork.ts"
import type { BankAccount, MobileMoney, PaymentOrder } from "../../providers/Provider.ts"
import type { Payment } from "../Payment.ts"
import { providersMoney } from "../ProvidersMoney.ts"

type Recipient = Parameters<typeof destinationOf>[0] & { readonly fname: string; readonly lname: string }

const payerIn = Schema.decodeUnknownOption(PayerDetails)
const bankIn = Schema.decodeUnknownOption(SourceBank)
const mobileMoneyIn = Schema.decodeUnknownOption(MobileMoneyDetails)

/** The beneficiary as it was at initiation, which is when it was checked. */
const recipientOf = ({ beneficiary_id, recipient_info }: Payment): Option.Option<Recipient> =>
  beneficiary_id === null ? Option.none() : Option.some(recipient_info as unknown as Recipient)

const payersBank = ({ payer_details }: Payment): BankAccount | null =>
  Option.match(bankIn(payer_details["bank_details"]), {
    onNone: () => null,
    onSome: ({ account_name, account_number, bank_code, bank_name, country }) => ({
      accountName: account_name,
      accountNumber: account_number,
      bankCode: bank_code ?? null,
      bankName: bank_name,
      country: country ?? null
    })
  })

const payersPhone = ({ country, mobile_money_details }: Payment): MobileMoney | null =>
  Option.getOrNull(
    Option.flatMap(mobileMoneyIn(mobile_money_details), ({ phone_number, provider }) =>
      Option.map(findNetwork(country, provider), ({ code }) => ({ network: code, phoneNumber: phone_number }))
    )
  )

const sideOf = (payment: Payment): Pick<PaymentOrder, "bank" | "mobileMoney"> => {
  const paidTo =
    payment.direction === "outbound" ? Option.map(recipientOf(payment), destinationOf) : Option.none<Destination>()
  return Option.match(paidTo, {
    onNone: () => ({
      bank: payment.payment_method === "bank_transfer" ? payersBank(payment) : null,
      mobileMoney: payment.payment_method === "mobile_money" ? payersPhone(payment) : null
    }),
    onSome: (destination) => ({
      bank: destination._tag === "Bank" ? destination.account : null,
      mobileMoney: destination._tag === "MobileMoney" ? destination.account : null
    })
  })
}

export const orderOf = (payment: Payment, checkoutUrl: string): Omit<PaymentOrder, "reference"> => ({
  paymentId: payment.payment_id,
  orgId: payment.org_id,
  flow: payment.direction,
  method: payment.payment_method,
  country: payment.country,
  money: providersMoney(payment),
  description: payment.description,
  payer: Option.getOrNull(payerIn(payment.payer_details)),
  ...sideOf(payment),
  card: null,
  walletAddress: null,
  recipientName: Option.getOrNull(Option.map(recipientOf(payment), ({ fname, lname }) => `${fname} ${lname}`)),
  checkoutUrl
})
