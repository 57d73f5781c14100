import { LosslessNumber } from "lossless-json"
import { typedAmount } from "../../api/Amount.ts"
import { call, type Request } from "../../api/Api.ts"
import { Problem } from "../../api/Problem.ts"
import { Field } from "../../parts/Field.tsx"
import type { Values } from "../../parts/Form.tsx"
import { Picker } from "../../parts/Picker.tsx"
import { Task } from "../../parts/Task.tsx"
import { useAll } from "../../state/All.ts"
import { ofOrg } from "../../state/Session.ts"

type Payload = Request<"escrow", "create">["payload"]

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

const shareOf = (at: number, among: number): string => {
  const each = Math.floor(10_000 / among)
  const hundredths = at === 0 ? 10_000 - each * (among - 1) : each
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, "0")}`
}

/** Every party has the same part of every milestone; other splits are for the API. */
const payloadOf = ({ account = "", milestones = "", name = "", parties = "" }: Values): Payload => {
  const [account_id = "", currency = ""] = account.split(" ")
  const names = linesOf(parties)
  return {
    name,
    account_id,
    currency,
    parties: names.map((party) => ({ name: party })),
    milestones: linesOf(milestones).map((line, at) => {
      const [, label, amount] = /^(.*?)[\s:,]+([\d,.]+)$/.exec(line) ?? []
      const expected = typedAmount(amount ?? "")
      if (label === undefined || expected === undefined) {
        throw new Problem(400, `Write a milestone as its name and its amount, such as "Design 1500.00": ${line}`)
      }
      return {
        label,
        sequence: at + 1,
        expected_disbursement: expected,
        parties: names.map((party, index) => ({
          name: party,
          split_type: "percentage" as const,
          split_value: new LosslessNumber(shareOf(index, names.length))
        }))
      }
    })
  }
}

const AccountField = () => {
  const { data } = useAll(
    (page, signal) => call("virtualAccounts", "list", { urlParams: { ...ofOrg(), ...page } }, { signal }),
    []
  )
  const options = data?.map(
    ({ account_id, currency, customer_id, virtual_account_name }) =>
      [`${account_id} ${currency}`, `${customer_id ?? virtual_account_name} (${currency})`] as const
  )
  return <Picker name="account" label="Account that funds it" options={options} none="Open a virtual account first" />
}

export const NewEscrow = ({ onDone }: { readonly onDone: () => void }) => (
  <Task
    name="Create escrow"
    icon="plus"
    kind="primary"
    title="Create an escrow"
    says="Nothing is set aside until you fund it. Every party gets the same part of every milestone."
    submit="Create escrow"
    done="Escrow created"
    onDone={onDone}
    act={(values, key) => call("escrow", "create", { payload: payloadOf(values) }, { key })}
  >
    <Field name="name" label="Name" placeholder="Harbour works" required />
    <AccountField />
    <Field
      name="parties"
      label="Parties"
      kind="area"
      placeholder={"Builder Ltd\nSupplier Ltd"}
      hint="One to a line."
      required
    />
    <Field
      name="milestones"
      label="Milestones"
      kind="area"
      placeholder={"Design 1500.00\nFoundations 4000.00"}
      hint="One to a line: its name, and its amount."
      required
    />
  </Task>
)
