import { isSettled, type PaymentStatus } from "../../../domain/PaymentStatus.ts"

interface Asked<P> {
  readonly status: PaymentStatus
  readonly provider: P | null
  readonly failure: { readonly provider: P | null } | null
}

/** Who has it or refused it; "None yet" only where somebody may still be asked. */
export const askedProvider = <P extends string>(
  { failure, provider, status }: Asked<P>,
  nameOf: (provider: P) => string
): { readonly name: string; readonly known: boolean } => {
  const asked = provider ?? failure?.provider ?? null
  if (asked !== null) return { name: nameOf(asked), known: true }
  return { name: isSettled(status) ? "None" : "None yet", known: false }
}
