import { useState } from "preact/hooks"
import type { Item, Request } from "../api/ConsoleApi.ts"
import { ActionButton } from "../components/Dialog.tsx"
import { Field, filled, type Values } from "../components/Form.tsx"
import { LoadedPage, OneOrgPage, PagedTable } from "../components/Loading.tsx"
import { Card, Page } from "../components/PageFrame.tsx"
import { CopyableId, DetailList, Time } from "../components/Values.tsx"
import { labelOf, optionsOf } from "../state/Display.ts"
import { go, linkTo } from "../state/HashRouter.ts"
import { useLoad, useOrgPages } from "../state/LoadHooks.ts"
import { orgFilter, session } from "../state/ConsoleSession.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"

type Beneficiary = Item<"beneficiaries", "list">
type NewBeneficiary = Request<"beneficiaries", "create">["payload"]

const accountTypes = ["mobile_money", "bank", "wallet"] as const
const beneficiaryTypes = ["individual", "business", "loan_client"] as const

const nameOf = ({ fname, lname }: Beneficiary): string => `${fname} ${lname}`

/** Account that payouts go to, in one line. */
const accountOf = ({ bank_details, momo_details, wallet_details }: Beneficiary): string =>
  [
    momo_details.provider ?? bank_details.bank_name ?? wallet_details.network,
    momo_details.phone_number ?? bank_details.account_number ?? wallet_details.address ?? wallet_details.email
  ]
    .filter((part) => part !== null && part !== undefined)
    .join(", ")

const detailsIn = (type: string, values: Values) => {
  const { account_name = "", account_number = "", bank_code = "", bank_name = "" } = values
  const { address = "", network = "", provider = "", wallet_email = "", wallet_phone = "" } = values
  if (type === "mobile_money") return { momo_details: { provider, phone_number: wallet_phone } }
  if (type === "bank") return { bank_details: filled({ account_name, account_number, bank_name, bank_code }) }
  return { wallet_details: filled({ address, network: network.toUpperCase(), email: wallet_email }) }
}

const payloadOf = (type: string, values: Values) => {
  const { beneficiary_type, country = "", currency = "", email = "", fname, lname, phone_number = "" } = values
  return {
    ...{ beneficiary_type, fname, lname },
    ...{ country: country.toUpperCase(), currency: currency.toUpperCase() },
    ...{ email: email || null, phone_number: phone_number || null },
    ...detailsIn(type, values)
  } as Omit<NewBeneficiary, "account_type">
}

/** Fields of the account; `of` has the values of an existing one. */
const AccountFields = ({ of, type }: { readonly type: string; readonly of?: Beneficiary | undefined }) => {
  if (type === "mobile_money") {
    const { phone_number, provider } = of?.momo_details ?? {}
    return (
      <div class="pair">
        <Field name="provider" label="Network" placeholder="M-Pesa" value={provider ?? ""} required />
        <Field name="wallet_phone" label="Number" inputMode="tel" value={phone_number ?? ""} required />
      </div>
    )
  }
  if (type === "bank") {
    const { account_name, account_number, bank_code, bank_name } = of?.bank_details ?? {}
    return (
      <>
        <Field name="account_number" label="Account number or IBAN" value={account_number ?? ""} required />
        <Field name="account_name" label="Account holder" value={account_name ?? ""} required={false} />
        <div class="pair">
          <Field name="bank_name" label="Bank" value={bank_name ?? ""} required={false} />
          <Field name="bank_code" label="Bank code" value={bank_code ?? ""} required={false} />
        </div>
      </>
    )
  }
  const { address, email, network } = of?.wallet_details ?? {}
  return (
    <>
      <Field name="address" label="Address" value={address ?? ""} required={false} />
      <Field name="network" label="Network" placeholder="TRON" value={network ?? ""} required={false} />
      <Field
        name="wallet_email"
        label="Or PayPal account"
        kind="email"
        value={email ?? ""}
        hint="Address and network of a crypto wallet, or the e-mail of a PayPal account."
        required={false}
      />
    </>
  )
}

const PersonFields = ({ of }: { readonly of?: Beneficiary }) => {
  const home = session.value?.organization
  return (
    <>
      <Field
        name="beneficiary_type"
        label="Kind"
        options={optionsOf(beneficiaryTypes)}
        value={of?.beneficiary_type ?? "individual"}
      />
      <div class="pair">
        <Field name="fname" label="First name" value={of?.fname ?? ""} required />
        <Field name="lname" label="Last name" value={of?.lname ?? ""} required />
      </div>
      <div class="pair">
        <Field name="country" label="Country" value={of?.country ?? home?.country ?? ""} required />
        <Field name="currency" label="Currency" value={of?.currency ?? home?.currency ?? ""} required />
      </div>
      <div class="pair">
        <Field name="email" label="E-mail" kind="email" value={of?.email ?? ""} required={false} />
        <Field name="phone_number" label="Phone" inputMode="tel" value={of?.phone_number ?? ""} required={false} />
      </div>
    </>
  )
}

const Create = () => {
  const [type, setType] = useState<string>("mobile_money")
  return (
    <ActionButton
      name="Create beneficiary"
      icon="plus"
      kind="primary"
      explanation="Only formats are checked. Check with the person that the account is theirs."
      done="Beneficiary created"
      act={(values, send) => {
        const account_type = type as NewBeneficiary["account_type"]
        return send("beneficiaries", "create", {
          payload: { ...orgFilter(), account_type, ...payloadOf(type, values) }
        })
      }}
    >
      <Field name="account_type" label="Paid by" options={optionsOf(accountTypes)} value={type} onInput={setType} />
      <PersonFields />
      <AccountFields key={type} type={type} />
    </ActionButton>
  )
}

const title = "Beneficiaries"
const lead = "People and businesses that payouts go to."

const BeneficiaryList = () => {
  const list = useOrgPages("beneficiaries", "list")
  return (
    <Page title={title} lead={lead} reload={list.reload} actions={<Create />}>
      <PagedTable
        list={list}
        empty={["beneficiary", "No beneficiaries", "Create one before the first payout."]}
        caption={title}
        keyOf={({ beneficiary_id }) => beneficiary_id}
        hrefOf={({ beneficiary_id }) => linkTo(`beneficiaries/${beneficiary_id}`)}
        columns={[
          { name: "Name", show: (one) => <strong class="two-lines">{nameOf(one)}</strong> },
          { name: "Paid by", show: ({ account_type }) => <span class="nowrap">{labelOf(account_type)}</span> },
          { name: "Account", below: true, show: (one) => <span class="clipped">{accountOf(one)}</span> },
          { name: "Currency", show: ({ currency }) => currency },
          { name: "Created", align: "end", wide: true, show: ({ created_at }) => <Time at={created_at} /> }
        ]}
      />
    </Page>
  )
}

export const BeneficiariesPage = () => (
  <OneOrgPage title={title} lead={lead}>
    {() => <BeneficiaryList />}
  </OneOrgPage>
)

const above = ["#/beneficiaries", title] as const

const Actions = ({ of }: { readonly of: Beneficiary }) => {
  const path = { beneficiary_id: of.beneficiary_id }
  return (
    <>
      <ActionButton
        name="Change"
        title={`Change ${isolatedName(nameOf(of))}`}
        explanation="Takes effect with the next payout. Payments in progress keep the account that they started with."
        submit="Save"
        done="Beneficiary changed"
        act={(values, send) => send("beneficiaries", "change", { path, payload: payloadOf(of.account_type, values) })}
      >
        <PersonFields of={of} />
        <AccountFields type={of.account_type} of={of} />
      </ActionButton>
      <ActionButton
        name="Delete"
        title={`Delete ${isolatedName(nameOf(of))}`}
        kind="danger"
        explanation="Nothing more is paid to this account. Refused while a payment to it is in progress."
        submit="Delete the beneficiary"
        done="Beneficiary deleted"
        onDone={() => go("beneficiaries")}
        act={(_, send) => send("beneficiaries", "remove", { path })}
      />
    </>
  )
}

export const BeneficiaryPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoad(
    async (get) => (await get("beneficiaries", "get", { path: { beneficiary_id: id } })).data,
    [id]
  )
  return (
    <LoadedPage title="Beneficiary" above={above} loaded={loaded}>
      {(of) => (
        <Page title={nameOf(of)} above={above} lead={labelOf(of.account_type)} actions={<Actions of={of} />}>
          <Card title="Account">
            <DetailList
              facts={[
                ["Pays to", accountOf(of)],
                ["Account holder", of.bank_details.account_name],
                ["Bank code", of.bank_details.bank_code],
                ["Currency", of.currency],
                ["Country", of.country],
                ["Kind", labelOf(of.beneficiary_type)],
                ["E-mail", of.email],
                ["Phone", of.phone_number],
                ["Created", <Time at={of.created_at} />],
                ["Id", <CopyableId id={of.beneficiary_id} what="the beneficiary's id" />]
              ]}
            />
          </Card>
        </Page>
      )}
    </LoadedPage>
  )
}
