/** The currencies of most payments first; among those of as many, in the order that they came in. */
export const byUse = <A extends { readonly currency: string }>(
  all: ReadonlyArray<A>,
  used: ReadonlyArray<string>
): ReadonlyArray<A> => {
  const timesOf = ({ currency }: A): number => used.filter((one) => one === currency).length
  return all.toSorted((a, b) => timesOf(b) - timesOf(a))
}
