import type { Address } from '../../model/session.ts';
import type { Gateway } from '../gateway.ts';
import type { AttachedSeat } from './attached-seat.ts';

/** Who sits where. A seat is a channel of the gateway for as long as its terminal stays. */
export class AttachedSeats implements Disposable {
  readonly #gateway: Pick<Gateway, 'join' | 'giveUpAsking'>;
  readonly #seats = new Set<AttachedSeat>();
  #isClosing = false;

  constructor(gateway: Pick<Gateway, 'join' | 'giveUpAsking'>) {
    this.#gateway = gateway;
  }

  at(address: Address): readonly AttachedSeat[] {
    return [...this.#seats].filter((seat) => seat.serves(address));
  }

  /** Those who sit anywhere else. */
  awayFrom(address: Address): readonly AttachedSeat[] {
    return [...this.#seats].filter((seat) => !seat.serves(address));
  }

  take(seat: AttachedSeat): Disposable {
    const joined = this.#gateway.join(seat);
    this.#seats.add(seat);
    return {
      [Symbol.dispose]: () => {
        this.#seats.delete(seat);
        joined[Symbol.dispose]();
        // At a shutdown questions stay open, for the next start to ask again.
        if (!this.#isClosing) this.#gateway.giveUpAsking(seat.address);
      },
    };
  }

  /** From here on whoever leaves does so because the gateway ends. */
  [Symbol.dispose](): void {
    this.#isClosing = true;
  }
}
