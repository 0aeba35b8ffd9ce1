// Graphs: shortest paths by a heap and by relaxation, and a spanning tree.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 120, EDGES = 600, FAR = 1 << 28 };

static struct { int from, to, weight; } edges[EDGES];
static int first[NODES + 1], heap[EDGES], position[NODES], heaped;
static int distances[NODES], parents[NODES];

static void make(void) {
    uint32_t seed = 4711;
    static int from[EDGES];
    for (int i = 0; i < EDGES; i++) {
        seed = seed * 1103515245 + 12345;
        from[i] = (int)(seed >> 16) % NODES;
        first[from[i] + 1]++;
    }
    for (int i = 0; i < NODES; i++) first[i + 1] += first[i];
    int filled[NODES] = {0};
    for (int i = 0; i < EDGES; i++) {
        int at = first[from[i]] + filled[from[i]]++;
        seed = seed * 1103515245 + 12345;
        edges[at].from = from[i];
        edges[at].to = (int)(seed >> 16) % NODES;
        edges[at].weight = 1 + (int)(seed >> 8 & 255);
    }
}

static void place(int at, int node) {
    heap[at] = node;
    position[node] = at;
}

static void lift(int node) {
    int at = position[node];
    for (; at && distances[heap[(at - 1) / 2]] > distances[node]; at = (at - 1) / 2) place(at, heap[(at - 1) / 2]);
    place(at, node);
}

static int take(void) {
    int nearest = heap[0], node = heap[--heaped], at = 0;
    for (int child; (child = 2 * at + 1) < heaped; at = child) {
        if (child + 1 < heaped && distances[heap[child + 1]] < distances[heap[child]]) child++;
        if (distances[heap[child]] >= distances[node]) break;
        place(at, heap[child]);
    }
    place(at, node);
    return nearest;
}

static void dijkstra(int start) {
    heaped = 0;
    for (int i = 0; i < NODES; i++) distances[i] = FAR, position[i] = parents[i] = -1;
    distances[start] = 0;
    position[start] = heaped;
    heap[heaped++] = start;
    while (heaped) {
        int node = take();
        for (int i = first[node]; i < first[node + 1]; i++) {
            int to = edges[i].to, distance = distances[node] + edges[i].weight;
            if (distance >= distances[to]) continue;
            if (distances[to] == FAR) position[to] = heaped++;
            distances[to] = distance;
            parents[to] = node;
            lift(to);
        }
    }
}

static int relaxation(int start) {
    int own[NODES], changed = 1, rounds = 0, wrong = 0;
    for (int i = 0; i < NODES; i++) own[i] = FAR;
    own[start] = 0;
    for (; changed; rounds++) {
        changed = 0;
        for (int i = 0; i < EDGES; i++)
            if (own[edges[i].from] + edges[i].weight < own[edges[i].to]) {
                own[edges[i].to] = own[edges[i].from] + edges[i].weight;
                changed = 1;
            }
    }
    for (int i = 0; i < NODES; i++) wrong += own[i] != distances[i];
    printf("%d rounds, %d wrong\n", rounds, wrong);
    return wrong;
}

static int find(int *roots, int x) {
    while (roots[x] != x) x = roots[x] = roots[roots[x]];
    return x;
}

static void spanning_tree(void) {
    int order[EDGES], roots[NODES], total = 0, taken = 0;
    for (int i = 0; i < NODES; i++) roots[i] = i;
    for (int i = 0; i < EDGES; i++) {
        int k = i;
        for (; k && edges[order[k - 1]].weight > edges[i].weight; k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < EDGES; i++) {
        int a = find(roots, edges[order[i]].from), b = find(roots, edges[order[i]].to);
        if (a != b) roots[a] = b, taken++, total += edges[order[i]].weight;
    }
    printf("tree of %d edges, weight %d\n", taken, total);
}

int main(void) {
    make();
    for (int start = 0; start < NODES; start += 40) {
        dijkstra(start);
        unsigned sum = 0;
        for (int i = 0; i < NODES; i++) sum = sum * 31 + (unsigned)distances[i];
        printf("from %d: sum %08x, path", start, sum);
        for (int node = NODES - 1; node >= 0; node = parents[node]) printf(" %d(%d)", node, distances[node]);
        puts("");
        if (relaxation(start)) return 1;
    }
    spanning_tree();
}
