/** What one cluster has added so far. */
export interface Cluster {
  weight: number;
  sum: number;
}

/** A mean, and its standard error; undefined with fewer than two clusters. */
export interface Estimate {
  readonly mean: number;
  readonly error: number | undefined;
}

/**
 * A weighted mean whose values come in clusters, such as the fills of one order, which are not independent of each other:
 *
 *   m = Σ wᵢxᵢ ÷ Σ wᵢ        error = √( G ÷ (G − 1) · Σ_g (Σ_{i in g} wᵢ(xᵢ − m))² ) ÷ Σ wᵢ        with G clusters
 *
 * (Liang and Zeger 1986).
 */
export class ClusteredMean {
  #clusters = 0;
  #weight = 0;
  #sum = 0;
  /** Sums over the clusters: of the squared weight, weight times sum, and the squared sum. */
  #ww = 0;
  #ws = 0;
  #ss = 0;

  get clusters(): number {
    return this.#clusters;
  }

  /** Adds a value to a cluster, which begins with weight 0. */
  add(cluster: Cluster, weight: number, value: number): void {
    if (cluster.weight === 0) this.#clusters += 1;
    this.#count(cluster, -1);
    cluster.weight += weight;
    cluster.sum += weight * value;
    this.#count(cluster, 1);
    this.#weight += weight;
    this.#sum += weight * value;
  }

  /** The mean of this and another one, without a cluster in both; undefined without values. */
  estimate(other = new ClusteredMean()): Estimate | undefined {
    const weight = this.#weight + other.#weight;
    if (weight === 0) return undefined;
    const clusters = this.#clusters + other.#clusters;
    const mean = (this.#sum + other.#sum) / weight;
    const squares =
      this.#ss + other.#ss - 2 * mean * (this.#ws + other.#ws) + mean ** 2 * (this.#ww + other.#ww);
    const variance = (clusters / (clusters - 1)) * Math.max(0, squares);
    return { mean, error: clusters < 2 ? undefined : Math.sqrt(variance) / weight };
  }

  #count({ weight, sum }: Cluster, sign: number): void {
    this.#ww += sign * weight * weight;
    this.#ws += sign * weight * sum;
    this.#ss += sign * sum * sum;
  }
}
