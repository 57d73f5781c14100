/** Exact decimals. Derived rates have at most 12 digits and are rounded down. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

const RATE_DIGITS = 12

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent)

export const parse = (text: string): Decimal => {
  const [whole = "", fraction = ""] = text.split(".")
  return { units: BigInt(whole + fraction), scale: fraction.length }
}

/** Text that PostgreSQL and Number read. */
export const written = ({ scale, units }: Decimal): string => `${units}e${-scale}`

export const multiply = (a: Decimal, b: Decimal): Decimal => ({ units: a.units * b.units, scale: a.scale + b.scale })

export const asRate = ({ scale, units }: Decimal): Decimal => {
  const surplus = units.toString().length - RATE_DIGITS
  return surplus > 0 ? { units: units / powerOfTen(surplus), scale: scale - surplus } : { units, scale }
}

export const inverse = (rate: Decimal): Decimal => {
  const digits = RATE_DIGITS - 1 + rate.units.toString().length
  return { units: powerOfTen(digits) / rate.units, scale: digits - rate.scale }
}

export const smaller = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  return a.units * powerOfTen(scale - a.scale) <= b.units * powerOfTen(scale - b.scale) ? a : b
}

/** Rounds half to even. */
export const roundedTo = ({ scale, units }: Decimal, digits: number): Decimal => {
  if (scale <= digits) return { units: units * powerOfTen(digits - scale), scale: digits }
  const divisor = powerOfTen(scale - digits)
  const below = units / divisor
  const twice = 2n * (units % divisor)
  const up = twice > divisor || (twice === divisor && below % 2n === 1n)
  return { units: up ? below + 1n : below, scale: digits }
}
