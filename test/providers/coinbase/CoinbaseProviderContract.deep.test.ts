import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { cryptoSamples } from "../support/CryptoOrders.ts"
import { providerContract } from "../support/providerContract.ts"
import { recipientAddress } from "./CoinbaseTestOrders.ts"

providerContract(coinbase, coinbaseFake, cryptoSamples("BASE", "ETHEREUM", recipientAddress))
