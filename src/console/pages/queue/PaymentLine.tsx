import { call } from "../../api/Api.ts"
import { Money } from "../../parts/Money.tsx"
import { useLoad } from "../../state/Load.ts"
import { linkTo } from "../../state/Router.ts"
import { shortId } from "../../state/Words.ts"
import { partyOf } from "../payments/PaymentTable.tsx"

/** Which payment it is about: by its reference, with its amount and whose it is, as soon as they are there. */
export const PaymentLine = ({ id }: { readonly id: string }) => {
  const { data } = useLoad((signal) => call("payments", "byId", { path: { payment_id: id } }, { signal }), [id])
  const reference = data?.client_reference ?? null
  return (
    <>
      <a href={linkTo(`payments/${id}`)} title={id}>
        {reference === null ? (
          <>
            Payment <code>{shortId(id)}</code>
          </>
        ) : (
          <strong class="reference">{reference}</strong>
        )}
      </a>
      {data !== undefined && <Money amount={data.amount} currency={data.currency} />}
      {data !== undefined && partyOf(data) !== "" && <span>{partyOf(data)}</span>}
    </>
  )
}
