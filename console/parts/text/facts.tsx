import type { ComponentChildren } from 'preact';

type Fact = readonly [name: string, value: ComponentChildren] | false | null | undefined;

/** Names and values. What is false or null is left out. */
export const Facts = ({ facts, big = false }: { facts: readonly Fact[]; big?: boolean }) => (
  <dl class={big ? 'figures' : 'facts'}>
    {facts
      .filter((fact) => !!fact)
      .map(([name, value]) => {
        const pair = [<dt key="name">{name}</dt>, <dd key="value">{value}</dd>];
        return big ? <div key={name}>{pair}</div> : pair;
      })}
  </dl>
);
