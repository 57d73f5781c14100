/** Random numbers of one request, from the seed and its number. */
import { Chance, type Stream } from "../simulation/world/Chance.ts"

export class Draw {
  readonly #next: Stream

  constructor(seed: number, purpose: string) {
    this.#next = new Chance(seed).stream(purpose)
  }

  below(limit: number): number {
    return Math.floor((this.#next() / 2 ** 32) * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  happens(probability: number): boolean {
    return this.#next() < probability * 2 ** 32
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    if (choices.length === 0) throw new Error("nothing to choose from")
    return choices[this.below(choices.length)] as A
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)))
  }
}
