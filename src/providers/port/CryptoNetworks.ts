/** Networks of the providers that move USDC, under their own names, and the address that a payout goes to. */
import { Either } from "effect"
import type { Declined } from "../../domain/Outcome.ts"
import { invalidOrder, notSupported } from "../client/ProviderReplies.ts"
import type { PaymentOrder } from "./Provider.ts"
import { serving } from "./ThirdParty.ts"
import { meaningOf } from "../client/WireValues.ts"

const USUAL = "ETHEREUM"

/** `names`: the provider's name of each network of ours that it reaches. */
export const cryptoNetworks = (title: string, names: Readonly<Record<string, string>>) => ({
  serves: serving("both", "crypto", "everywhere", "USDC", Object.keys(names)),
  networkOf: (name: string): string | null => Object.keys(names).find((network) => names[network] === name) ?? null,
  /** Undefined: a network that it does not reach. */
  nameOf: (network: string = USUAL): string | undefined => meaningOf(names, network),
  nameFor: ({ money, walletAddress }: PaymentOrder): Either.Either<string, Declined> => {
    const network = walletAddress?.network ?? USUAL
    if (money.currency !== "USDC") return Either.left(notSupported(`${title} does not move ${money.currency}`))
    return Either.fromNullable(meaningOf(names, network), () =>
      notSupported(`${title} does not reach the network ${network}`)
    )
  }
})

export const addressOf = ({ walletAddress }: PaymentOrder): Either.Either<string, Declined> =>
  walletAddress === null || walletAddress.address === ""
    ? Either.left(invalidOrder("There is no address to pay to"))
    : Either.right(walletAddress.address)
