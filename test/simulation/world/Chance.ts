/**
 * All randomness of a run. A draw depends on the seed and its purpose only: leaving out a step changes no other draw.
 */

const mix = (value: number): number => {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

const digest = (seed: number, text: string): number => {
  let bits = mix(seed ^ 0x9e3779b9)
  for (let at = 0; at < text.length; at++) bits = Math.imul(bits ^ text.charCodeAt(at), 0x01000193)
  return mix(bits)
}

/** A sequence of numbers from 0 up to 2^32. */
export type Stream = () => number

export class Chance {
  readonly seed: number

  constructor(seed: number) {
    this.seed = seed
  }

  stream(purpose: string): Stream {
    let state = digest(this.seed, purpose)
    return () => {
      state = (state + 0x9e3779b9) | 0
      return mix(state)
    }
  }

  below(limit: number, purpose: string): number {
    return Math.floor((digest(this.seed, purpose) / 2 ** 32) * limit)
  }

  between(least: number, most: number, purpose: string): number {
    return least + this.below(most - least + 1, purpose)
  }

  happens(probability: number, purpose: string): boolean {
    return digest(this.seed, purpose) < probability * 2 ** 32
  }

  pick<A>(choices: ReadonlyArray<A>, purpose: string): A {
    const chosen = choices[this.below(choices.length, purpose)]
    if (chosen === undefined) throw new Error(`nothing to choose from for ${purpose}`)
    return chosen
  }

  /** Draws by weight; weight 0 is never drawn. */
  weighed<A extends string>(weights: Readonly<Record<A, number>>, purpose: string): A {
    const entries = Object.entries<number>(weights) as Array<[A, number]>
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
    let left = (digest(this.seed, purpose) / 2 ** 32) * total
    for (const [name, weight] of entries) {
      left -= weight
      if (left < 0) return name
    }
    return entries.at(-1)![0]
  }
}
