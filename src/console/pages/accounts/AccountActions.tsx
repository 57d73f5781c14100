import { call } from "../../api/Api.ts"
import { amountIn } from "../../api/TypedAmount.ts"
import { Field } from "../../parts/Field.tsx"
import { Picker } from "../../parts/Picker.tsx"
import { Task } from "../../parts/Task.tsx"
import { useAll } from "../../state/All.ts"
import { may, ofOrg, session } from "../../state/Session.ts"
import { BeneficiaryField } from "./BeneficiaryField.tsx"
import type { AccountData } from "./Accounts.tsx"

interface Props {
  readonly account: AccountData
  readonly onDone: () => void
}

const AmountField = ({ currency }: Pick<AccountData, "currency">) => (
  <Field name="amount" label={`Amount in ${currency}`} inputMode="decimal" required />
)

const OtherAccounts = ({ account }: Pick<Props, "account">) => {
  const { data } = useAll(
    (page, signal) => call("virtualAccounts", "list", { urlParams: { ...ofOrg(), ...page } }, { signal }),
    []
  )
  const options = data
    ?.filter(({ account_id, currency }) => account_id !== account.account_id && currency === account.currency)
    .map(
      ({ account_id, customer_id, virtual_account_name }) => [account_id, customer_id ?? virtual_account_name] as const
    )
  return <Picker name="to" label="To" options={options} none={`There is no other account in ${account.currency}`} />
}

const Moving = ({ account, onDone }: Props) => {
  const path = { account_id: account.account_id }
  return (
    <>
      <Task
        name="Pay out"
        title="Pay a beneficiary from the account"
        kind="primary"
        says="The amount and its fees are held at once, and are back on the account if the provider refuses."
        submit="Pay out"
        done="Withdrawal begun"
        onDone={onDone}
        act={({ amount = "", beneficiary_id = "", description = "" }, key) =>
          call(
            "virtualAccounts",
            "withdraw",
            {
              path,
              payload: { amount: amountIn(amount), beneficiary_id, ...(description === "" ? {} : { description }) }
            },
            { key }
          )
        }
      >
        <BeneficiaryField currency={account.currency} />
        <AmountField currency={account.currency} />
        <Field name="description" label="What for" required={false} />
      </Task>
      <Task
        name="Transfer"
        title="Transfer to another account"
        says="Moves money to another of your accounts in the same currency, at once."
        submit="Transfer"
        done="Transferred"
        onDone={onDone}
        act={({ amount = "", to = "" }, key) =>
          call(
            "virtualAccounts",
            "transfer",
            { payload: { from_account_id: account.account_id, to_account_id: to, amount: amountIn(amount) } },
            { key }
          )
        }
      >
        <OtherAccounts account={account} />
        <AmountField currency={account.currency} />
      </Task>
      {session.value?.mode === "sandbox" && (
        <Task
          name="Simulate a deposit"
          says="Credits the account as if a customer had paid into it. Sandbox only."
          submit="Deposit"
          done="Deposited"
          onDone={onDone}
          act={({ amount = "" }, key) =>
            call("virtualAccounts", "simulateDeposit", { path, payload: { amount: amountIn(amount) } }, { key })
          }
        >
          <AmountField currency={account.currency} />
        </Task>
      )}
    </>
  )
}

const Freezing = ({ account, onDone }: Props) => {
  const path = { account_id: account.account_id }
  return account.status === "frozen" ? (
    <Task
      name="Unfreeze"
      title="Unfreeze the account"
      says="Money can be taken from it again. The organisation is told by an event."
      submit="Unfreeze"
      done="Account unfrozen"
      onDone={onDone}
      act={(_, key) => call("virtualAccounts", "unfreeze", { path }, { key })}
    />
  ) : (
    <Task
      name="Freeze"
      title="Freeze the account"
      kind="danger"
      says="Nothing is taken from it any more; it still takes money. The organisation is told by an event, with the reason."
      submit="Freeze"
      done="Account frozen"
      onDone={onDone}
      act={({ reason = "" }, key) => call("virtualAccounts", "freeze", { path, payload: { reason } }, { key })}
    >
      <Field name="reason" label="Reason" required />
    </Task>
  )
}

export const AccountActions = ({ account, onDone }: Props) => (
  <>
    {may("accounts") && account.status === "active" && <Moving account={account} onDone={onDone} />}
    {may("platform") && <Freezing account={account} onDone={onDone} />}
  </>
)
